/** API bodies as tables of their fields. */
import { Fragment } from "preact";
import { DataTable } from "../../report/components/layout.tsx";
import { untranslated } from "../../report/components/untrusted-text.tsx";
import { useVisit } from "../context.ts";
import { baseOf, type FieldRow, fieldsOf, type Schema, type Webhook } from "./api-document.ts";
import { TextWithCode } from "./coded.tsx";

export function bodyId(name: string): string {
  return `body-${name}`;
}

/** Text of the OpenAPI description, which is in English. */
export function FromDescription({ text }: { readonly text: string }) {
  const { i18n } = useVisit();
  return (
    <span lang={i18n.locale === "en-gb" ? undefined : "en"}>
      <TextWithCode text={text} />
    </span>
  );
}

/** Identifier of the API. */
export function Code({ text }: { readonly text: string }) {
  return <code {...untranslated}>{text}</code>;
}

export function BodyTable({ name, schema }: { readonly name: string; readonly schema: Schema }) {
  const { i18n, settings } = useVisit();
  const { schemas } = settings.reference.api.components;
  const base = baseOf(schema, schemas);
  const documented = base === null ? [] : Object.keys(schemas[base]?.properties ?? {});
  return (
    <section aria-labelledby={bodyId(name)}>
      <h3 id={bodyId(name)} {...untranslated}>
        {name}
      </h3>
      {base !== null && (
        <p>
          {i18n.t("apiReference.base")} <a href={`#${bodyId(base)}`}>{base}</a>
        </p>
      )}
      <FieldTable name={name} fields={fieldsOf(schema, documented)} />
    </section>
  );
}

/** What a webhook of this type receives. */
export function WebhookPart({ type, webhook }: { readonly type: string; readonly webhook: Webhook }) {
  const { schema, example } = webhook.requestBody.content["application/json"];
  const id = `webhook-${type}`;
  return (
    <section aria-labelledby={id}>
      <h3 id={id} {...untranslated}>
        {type}
      </h3>
      <p>
        <FromDescription text={webhook.summary} />
      </p>
      <FieldTable name={type} fields={fieldsOf(schema)} />
      <pre {...untranslated}>
        <code>{JSON.stringify(example, null, 2)}</code>
      </pre>
    </section>
  );
}

function FieldTable({ name, fields }: { readonly name: string; readonly fields: readonly FieldRow[] }) {
  const { i18n } = useVisit();
  return (
    <DataTable
      caption={name}
      captionUnseen
      rows={fields}
      columns={[
        { label: i18n.t("apiReference.columns.field"), cell: ({ path }) => <Code text={path} /> },
        { label: i18n.t("apiReference.columns.type"), cell: ({ type }) => <Code text={type} /> },
        { label: i18n.t("apiReference.columns.meaning"), cell: (field) => <Notes schema={field.schema} optional={field.optional} /> },
      ]}
    />
  );
}

/** Constraints and description of a field or parameter. */
export function Notes({ schema, optional }: { readonly schema: Schema; readonly optional: boolean }) {
  const { i18n } = useVisit();
  const { description, enum: values, const: always, minimum, maximum, format } = schema;
  return (
    <>
      {optional && <>{i18n.t("apiReference.optional")} </>}
      {description !== undefined && (
        <>
          <FromDescription text={description} />{" "}
        </>
      )}
      {values !== undefined && <Values lead={i18n.t("apiReference.oneOf")} values={values} />}
      {always !== undefined && <Values lead={i18n.t("apiReference.always")} values={[always]} />}
      {minimum !== undefined && maximum !== undefined && i18n.t("apiReference.range", { minimum, maximum })}
      {format === "date-time" && i18n.t("apiReference.instant")}
    </>
  );
}

function Values({ lead, values }: { readonly lead: string; readonly values: readonly unknown[] }) {
  return (
    <>
      {lead}{" "}
      {values.map((value, at) => (
        <Fragment key={value}>
          {at > 0 && ", "}
          <Code text={String(value)} />
        </Fragment>
      ))}
    </>
  );
}
