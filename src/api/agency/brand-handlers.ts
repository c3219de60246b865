/** Brand of the account: what its reports show in place of the name of the program. */
import {
  type BrandFieldFaults,
  type BrandFields,
  brandFooterCharsMax,
  brandNameCharsMax,
  parseBrandFields,
} from "../../account/brand-fields.ts";
import { usableBrand } from "../../account/usable-brand.ts";
import { type LogoFault, logoBytesMax, logoUploadBytesMax, printRetrySeconds } from "../../base/documents.ts";
import { readBytes } from "../../http/request-body.ts";
import { logoText, storedLogo } from "../../store/brand-logo.ts";
import type { StoredBrand } from "../../store/site-accounts.ts";
import { answer, prepareHeaders } from "../answer.ts";
import { ApiError, brandNotFound, type FieldErrors, invalidFields } from "../errors.ts";
import { callingAccount } from "../own-scan.ts";
import { type AccountRequest, answerJson, answerNothing, readFields } from "../sites/account-request.ts";
import { stillCalling, written } from "../writing.ts";
import { type AgencyApiSettings, brandPath } from "./agency-settings.ts";

const fieldNames = ["name", "accent", "footer"] as const;

export function createBrandHandlers(settings: AgencyApiSettings) {
  const { store, decodeLogo, now } = settings;
  return { read, save, remove, readLogo, saveLogo, removeLogo };

  function ownBrand({ requestContext }: AccountRequest): StoredBrand {
    const brand = usableBrand(store, callingAccount(requestContext));
    if (brand === undefined) throw brandNotFound(404);
    return brand;
  }

  function read(given: AccountRequest): Response {
    return answerJson(given, 200, brandBody(ownBrand(given)));
  }

  /** The logo stays. */
  async function save(given: AccountRequest): Promise<Response> {
    const { account, fields } = await readFields(settings, given, { names: fieldNames, required: "name" });
    const brandFields = brandFieldsOf(fields);
    const saved = await written(() => store.brands.change(account.id, (stored) => ({ logoPng: stored?.logoPng ?? null, ...brandFields })));
    return answerJson(given, 200, brandBody(saved));
  }

  async function remove(given: AccountRequest): Promise<Response> {
    ownBrand(given);
    await written(() => store.brands.remove(callingAccount(given.requestContext).id));
    return answerNothing(given);
  }

  function readLogo(given: AccountRequest): Response {
    const logo = storedLogo(ownBrand(given));
    if (logo === null) throw logoNotFound();
    return answer(given.requestContext, 200, logo.png, prepareHeaders({ "content-type": "image/png" }));
  }

  async function saveLogo(given: AccountRequest): Promise<Response> {
    ownBrand(given);
    const bytes = await readBytes(given.request, logoBytesMax, logoUploadBytesMax);
    if (bytes === "too-long") throw logoRefused("too-large");
    const { id } = stillCalling(store, given, now());
    const drawn = await decodeLogo(bytes);
    if (typeof drawn === "string") throw logoRefused(drawn);
    return answerJson(given, 200, brandBody(await withLogo(id, logoText(drawn.png))));
  }

  async function removeLogo(given: AccountRequest): Promise<Response> {
    if (ownBrand(given).logoPng === null) throw logoNotFound();
    await withLogo(callingAccount(given.requestContext).id, null);
    return answerNothing(given);
  }

  async function withLogo(accountId: number, logoPng: string | null): Promise<StoredBrand> {
    return written(() =>
      store.brands.change(accountId, (stored) => {
        // Another request may have removed it while the logo arrived.
        if (stored === undefined) throw brandNotFound(404);
        return { ...stored, logoPng };
      }),
    );
  }
}

function brandBody(brand: StoredBrand): object {
  const logo = storedLogo(brand);
  const { name, accent, footer } = brand;
  return { name, accent, footer, logo: logo === null ? null : { url: `${brandPath}/logo`, width: logo.width, height: logo.height } };
}

/** @throws ApiError 400 */
function brandFieldsOf(fields: Readonly<Record<string, unknown>>): BrandFields {
  const strays = fieldNames.filter((name) => typeof (fields[name] ?? "") !== "string");
  if (strays.length > 0) throw invalidFields(Object.fromEntries(strays.map((name) => [name, ["must be a string"]])));
  const [name = "", accent = "", footer = ""] = fieldNames.map((each) => String(fields[each] ?? ""));
  const parsed = parseBrandFields({ name, accent, footer });
  if ("faults" in parsed) throw invalidFields(fieldErrorsOf(parsed.faults));
  return parsed;
}

/** Each completes the name of its field. */
function fieldErrorsOf({ name, accent, footer }: BrandFieldFaults): FieldErrors {
  const lineFaults = (charsMax: number) => ({
    noName: "is required",
    tooLong: `must be at most ${charsMax} characters long`,
    characters: "must not contain control characters or line breaks",
  });
  const accentFaults = { notColour: "must be a colour such as #14501e", lowContrast: "must have a contrast of at least 4.5:1 to white" };
  return {
    ...(name !== undefined && { name: [lineFaults(brandNameCharsMax)[name]] }),
    ...(accent !== undefined && { accent: [accentFaults[accent]] }),
    ...(footer !== undefined && { footer: [lineFaults(brandFooterCharsMax)[footer]] }),
  };
}

function logoNotFound(): ApiError {
  return new ApiError(404, "The brand has no logo.");
}

function logoRefused(fault: LogoFault): ApiError {
  if (fault === "busy")
    return new ApiError(503, "The browser that draws logos is busy; try again later.", {
      headers: { "retry-after": String(printRetrySeconds) },
    });
  return invalidFields({ logo: [logoFaults[fault]] });
}

const logoFaults: Readonly<Record<Exclude<LogoFault, "busy">, string>> = {
  "too-large": `must be at most ${logoBytesMax} bytes long`,
  "wrong-type": "must be a PNG or a still WebP image",
  "too-many-pixels": "must be at most 4000 pixels wide and high, and have at most 4 million pixels",
  broken: "could not be decoded",
};
