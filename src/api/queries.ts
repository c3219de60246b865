/** Queries that several operations have: language and page. */
import { locales } from "../check/check.ts";
import type { Page } from "../store/page.ts";
import { ApiError } from "./errors.ts";
import { ListQuery, LocaleQuery, listLimitMax } from "./schemas.ts";
import { queryOf } from "./validation.ts";

export function invalidListQuery(): ApiError {
  return new ApiError(400, `limit must be a whole number from 1 to ${listLimitMax}, and cursor a nextCursor of an earlier page.`);
}

export function invalidLocale(): ApiError {
  return new ApiError(400, `locale must be one of ${locales.join(", ")}, and be given once.`);
}

export const localeQuery = queryOf(LocaleQuery, invalidLocale, { repeated: "refused" });
export const pageQuery = queryOf(ListQuery, invalidListQuery, { repeated: "named" });

export function pageBody<T>({ items, nextCursor }: Page<T>, bodyOf: (item: T) => object): object {
  return { items: items.map(bodyOf), nextCursor: nextCursor === null ? null : String(nextCursor) };
}
