/** Filter of the list of watched sites. A GET form, so that it works without script. */
import { plainUntrustedText } from "../../report/components/untrusted-text.tsx";
import type { Site } from "../../store/sites.ts";
import { useVisit } from "../context.ts";
import { ownerPath, type SiteAccess } from "./site-access.ts";
import { paramsOf, type SiteQuery, siteBands, siteMarks } from "./site-query.ts";

const searchCharsMax = 100;

interface FilterProps {
  readonly sites: readonly Site[];
  readonly query: SiteQuery;
  readonly access: SiteAccess;
  /** Sites that match. */
  readonly shown: number;
}

export function SiteFilterForm({ sites, query, access, shown }: FilterProps) {
  const { i18n } = useVisit();
  const collator = new Intl.Collator(i18n.locale, { numeric: true });
  const named = (names: readonly string[]) =>
    [...new Set(names)].sort(collator.compare).map((name) => ({ value: name, text: plainUntrustedText(name) }));
  const kept = paramsOf(query);
  const counted = (count: string) => i18n.t("sites.filter.shown", { shown: count, all: i18n.number(sites.length) });
  return (
    <form class="finding-filter" action="/sites" data-site-filter>
      {access.role !== "owner" && <input type="hidden" name="of" value={access.owner.id} />}
      {(["sort", "dir"] as const).map((name) => kept[name] !== "" && <input key={name} type="hidden" name={name} value={kept[name]} />)}
      <label>
        {i18n.t("sites.filter.search")}
        <input type="search" name="q" value={query.search} maxLength={searchCharsMax} />
      </label>
      <Choice name="client" chosen={query.client} options={named(sites.flatMap(({ client }) => client ?? []))} />
      <Choice name="tag" chosen={query.tag} options={named(sites.flatMap(({ tags }) => tags))} />
      <Choice
        name="band"
        chosen={query.band ?? ""}
        options={siteBands.map((band) => ({ value: band, text: i18n.t(`sites.bands.${band}`) }))}
      />
      <Choice
        name="state"
        chosen={query.mark ?? ""}
        options={siteMarks.map((mark) => ({ value: mark, text: i18n.t(`sites.marks.${mark}`) }))}
      />
      <button type="submit" class="plain" data-site-apply>
        {i18n.t("sites.filter.apply")}
      </button>
      <p class="small" role="status" data-site-count data-text={counted("{shown}")}>
        {shown < sites.length && counted(i18n.number(shown))}
      </p>
      <p class="small" data-site-reset hidden={shown === sites.length}>
        <a href={ownerPath("/sites", access)}>{i18n.t("sites.filter.reset")}</a>
      </p>
    </form>
  );
}

interface ChoiceProps {
  readonly name: "client" | "tag" | "band" | "state";
  /** "" for all. */
  readonly chosen: string;
  readonly options: readonly { readonly value: string; readonly text: string }[];
}

/** Null if there is nothing to choose. A chosen value stays, also one that no site has any more. */
function Choice({ name, chosen, options }: ChoiceProps) {
  const { i18n } = useVisit();
  const known = chosen === "" || options.some(({ value }) => value === chosen);
  const all = known ? options : [...options, { value: chosen, text: plainUntrustedText(chosen) }];
  if (all.length === 0) return null;
  return (
    <label>
      {i18n.t(`sites.filter.${name}`)}
      <select name={name}>
        <option value="">{i18n.t("sites.filter.all")}</option>
        {all.map(({ value, text }) => (
          <option key={value} value={value} selected={value === chosen}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
