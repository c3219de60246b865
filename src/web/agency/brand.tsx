/** `/account/brand`: name, logo, colour and footer of the account for the reports that it passes on. */
import { planTerms } from "../../accounts/account-operations.ts";
import {
  type BrandFaults,
  brandFooterCharsMax,
  brandNameCharsMax,
  type GivenBrand,
  removeBrand,
  saveBrand,
} from "../../agency/brand-operations.ts";
import { logoBytesMax, logoUploadBytesMax, printRetrySeconds } from "../../base/documents.ts";
import { BrandFooter, BrandHeader } from "../../report/brand.tsx";
import { Notice } from "../../report/components/notice.tsx";
import { type Account, plans } from "../../store/accounts.ts";
import type { StoredBrand } from "../../store/site-accounts.ts";
import { ActionForm, type FormDescription, FormFields, readFields, SubmitButton } from "../components/forms.tsx";
import { outcomesOf, redirectWith } from "../components/outcome.tsx";
import { PageSection, PlanLimit } from "../components/sections.tsx";
import { useVisit } from "../context.ts";
import { brandNotInPlan, notFound } from "../errors.ts";
import { Form, readUpload } from "../form.tsx";
import { byOperation, type GetFor, type UploadFor } from "../guards.ts";
import { accountPage } from "../private-page.tsx";
import type { Visit } from "../visit.ts";
import { brandOwner, logoAnswer, logoOnPage } from "./usable-brands.ts";

const path = "/account/brand";
/** Limit of the whole form: the logo, and some thousand characters of the fields. Longer bodies are read to their end, and not kept. */
const uploadLimits = { bytesMax: logoBytesMax + 16_384, discardedBytesMax: logoUploadBytesMax };
const outcomes = outcomesOf(path, ["saved", "removed"], (outcome) => `brand.done.${outcome}`);
/** `#rrggbb`, with a blank at either end. */
const accentCharsMax = 9;

const senderForm = {
  name: {
    label: "brand.form.name",
    hint: "brand.form.nameHint",
    autocomplete: "organization",
    maxLength: brandNameCharsMax,
    trimmed: true,
  },
  logo: { control: "file", label: "brand.form.logo", hint: "brand.form.logoHint", accept: "image/png,image/webp" },
} satisfies FormDescription;
const optional = { autocomplete: "off", required: false, trimmed: true } as const;
const styleForm = {
  accent: { label: "brand.form.accent", hint: "brand.form.accentHint", maxLength: accentCharsMax, verbatim: true, ...optional },
  footer: { label: "brand.form.footer", hint: "brand.form.footerHint", maxLength: brandFooterCharsMax, ...optional },
} satisfies FormDescription;

interface TypedBrand extends GivenBrand {
  /** Removes the stored logo. */
  readonly withoutLogo: boolean;
}

/** Form values of a brand, and the errors. */
interface Refused {
  readonly typed: TypedBrand;
  readonly faults: BrandFaults;
}

export const getBrand: GetFor<"accounts"> = (visit, account) =>
  planTerms[account.plan].brand ? brandPage(visit, account) : otherPlanPage(visit, account);

export const postBrand: UploadFor<"accounts"> = async (visit, account) => {
  const { settings } = visit;
  if (!planTerms[account.plan].brand) throw brandNotInPlan();
  const upload = await readUpload(visit, "logo", uploadLimits);
  if (upload === "too-long")
    return brandPage(visit, account, { typed: typedOf(settings.store.brands.find(account.id)), faults: { logo: "too-large" } });
  const { fields } = upload;
  const { logo: _logo, ...given } = { ...readFields(senderForm, fields), ...readFields(styleForm, fields) };
  const withoutLogo = fields.text("without-logo") !== "";
  const logo = upload.file ?? (withoutLogo ? "removed" : "kept");
  const saved = await saveBrand(settings, account, { ...given, logo });
  if ("faults" in saved) return brandPage(visit, account, { typed: { ...given, withoutLogo }, faults: saved.faults });
  if ("refused" in saved) throw brandNotInPlan();
  return redirectWith(visit, outcomes, "saved");
};

export const postRemoveBrand = byOperation<Account>({
  remove: async (visit, account) => {
    await removeBrand(visit.settings, account);
    return redirectWith(visit, outcomes, "removed");
  },
});

/** Logo of an account, for those who may use its brand: the policy of the pages allows no image within a page. */
export const getBrandLogo: GetFor<"accounts"> = (visit, account, id) => {
  const owner = brandOwner(visit, account, id);
  if (owner === undefined) throw notFound();
  return logoAnswer(visit, owner);
};

function otherPlanPage(visit: Visit, { id, plan }: Account): Response {
  const { i18n, settings } = visit;
  const needed = plans.find((one) => planTerms[one].brand) ?? plan;
  const text = i18n.t("brand.otherPlan", { plan: i18n.t(`plans.names.${plan}`), needed: i18n.t(`plans.names.${needed}`) });
  return accountPage(visit, {
    title: "brand.title",
    lead: i18n.t("brand.intro"),
    outcomes,
    children: (
      <>
        <Notice text={<PlanLimit text={text} />} />
        {settings.store.brands.find(id) !== undefined && <Removal />}
      </>
    ),
  });
}

function brandPage(visit: Visit, account: Account, refused: Refused | null = null): Response {
  const { i18n, settings } = visit;
  const stored = settings.store.brands.find(account.id);
  const shown = stored && { ...stored, logo: logoOnPage(account.id, stored) };
  const busy = refused?.faults.logo === "busy";
  return accountPage(visit, {
    title: "brand.title",
    lead: i18n.t("brand.intro"),
    status: busy ? 503 : refused === null ? 200 : 400,
    headers: busy ? { "retry-after": String(printRetrySeconds) } : {},
    outcomes,
    children: (
      <>
        {shown !== undefined && (
          <PageSection id="preview" title="brand.preview.title">
            <p>{i18n.t("brand.preview.what")}</p>
            <BrandHeader brand={shown} />
            <BrandFooter brand={shown} />
          </PageSection>
        )}
        <BrandForm typed={refused?.typed ?? typedOf(stored)} faults={refused?.faults ?? {}} hasLogo={(stored?.logoPng ?? null) !== null} />
        {stored !== undefined && <Removal />}
      </>
    ),
  });
}

interface BrandFormProps extends Refused {
  readonly hasLogo: boolean;
}

function BrandForm({ typed: { withoutLogo, ...values }, faults, hasLogo }: BrandFormProps) {
  const { i18n } = useVisit();
  const errors = new Map(
    Object.entries({ ...faults }).map(([name, fault]) => [
      name,
      i18n.t(`brand.errors.${fault}`, { charsMax: name === "name" ? brandNameCharsMax : brandFooterCharsMax }),
    ]),
  );
  return (
    <PageSection id="edit" title="brand.form.title">
      <Form action={path} enctype="multipart/form-data">
        <FormFields form={senderForm} values={values} errors={errors} />
        {hasLogo && (
          <p>
            <label>
              <input type="checkbox" name="without-logo" value="1" checked={withoutLogo} /> {i18n.t("brand.form.withoutLogo")}
            </label>
          </p>
        )}
        <FormFields form={styleForm} values={values} errors={errors} />
        <SubmitButton text="brand.form.submit" />
      </Form>
    </PageSection>
  );
}

function Removal() {
  const { i18n } = useVisit();
  return (
    <PageSection id="removal" title="brand.removal.title">
      <p>{i18n.t("brand.removal.what")}</p>
      <ActionForm action={`${path}/remove`} hidden={{ do: "remove" }} kind="danger" submit="brand.removal.submit" />
    </PageSection>
  );
}

function typedOf(brand: StoredBrand | undefined): TypedBrand {
  return { name: brand?.name ?? "", accent: brand?.accent ?? "", footer: brand?.footer ?? "", withoutLogo: false };
}
