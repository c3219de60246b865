/** `/api`: API guide and reference, generated from the OpenAPI description. */

import { Fragment } from "preact";
import type { StoredResult } from "../../judge/result.ts";
import { Section } from "../../report/components/layout.tsx";
import { ConfigLines } from "../../report/components/remediation.tsx";
import { untranslated } from "../../report/components/untrusted-text.tsx";
import { type ReadableScan, renderSecurityResult } from "../../text/render.ts";
import { TextTable } from "../components/sections.tsx";
import { useVisit } from "../context.ts";
import { page } from "../page.tsx";
import sampleScan from "../scans/report/sample-scan.json" with { type: "json" };
import { publicOrigin, type Visit } from "../visit.ts";
import {
  baseOf,
  bodyNameOf,
  type Content,
  curlOf,
  exampleBodyOf,
  type FieldRow,
  fieldsOf,
  fileTypeOf,
  type Operation,
  type Schema,
  typeOf,
  type Webhook,
} from "./api-document.ts";
import { Code, TextWithCode } from "./coded.tsx";

interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export function getApiReference(visit: Visit): Response {
  const { i18n } = visit;
  const { paths, components, webhooks } = visit.settings.reference.api;
  const endpoints = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Endpoint => ({ method: method.toUpperCase(), path, operation })),
  );
  return page(visit, {
    title: i18n.t("apiReference.title"),
    head: { lead: i18n.t("apiReference.lead") },
    children: (
      <>
        <Contents endpoints={endpoints} />
        <GettingStarted />
        <ExampleAnswer />
        <Section title={i18n.t("apiReference.requests")}>
          {endpoints.map((endpoint) => (
            <EndpointPart key={endpoint.operation.operationId} {...endpoint} />
          ))}
        </Section>
        <Section title={i18n.t("apiReference.bodies")}>
          <p>{i18n.t("apiReference.bodiesLead")}</p>
          {Object.entries(components.schemas).map(([name, schema]) => (
            <BodyTable key={name} name={name} schema={schema} />
          ))}
        </Section>
        <Section title={i18n.t("apiReference.webhooks")}>
          <p>
            <TextWithCode text={i18n.t("apiReference.webhooksLead")} />
          </p>
          {Object.entries(webhooks).map(([type, { post }]) => (
            <WebhookPart key={type} type={type} webhook={post} />
          ))}
        </Section>
      </>
    ),
  });
}

function Contents({ endpoints }: { readonly endpoints: readonly Endpoint[] }) {
  const { i18n } = useVisit();
  return (
    <nav aria-label={i18n.t("apiReference.contents")}>
      <ul>
        {endpoints.map(({ method, path, operation }) => (
          <li key={operation.operationId}>
            <a href={`#${operation.operationId}`}>
              <Code text={`${method} ${path}`} />
            </a>
          </li>
        ))}
        <li>
          <a href="/api/v1/openapi.json">{i18n.t("apiReference.description")}</a>
        </li>
      </ul>
    </nav>
  );
}

function GettingStarted() {
  const visit = useVisit();
  const { i18n } = visit;
  const start = curlOf("POST", "/api/v1/scans", { body: '{"url": "https://site.example/"}' });
  const result = '"$BASE/api/v1/scans/$SCAN/security" -H "Authorization: Bearer $TOKEN"';
  const wait = `until curl -s ${result} \\\n  | tee result.json | grep -qE '"status":"(finished|failed)"'\ndo sleep 2; done`;
  return (
    <Section title={i18n.t("apiReference.beginning.title")}>
      <ol>
        <li>
          <p>
            {i18n.t("apiReference.beginning.token")} <a href="/account/tokens">{i18n.t("apiReference.beginning.tokens")}</a>
          </p>
          <ConfigLines label={i18n.t("apiReference.shell")}>{`BASE=${publicOrigin(visit)}\nTOKEN=assay_...`}</ConfigLines>
        </li>
        <li>
          <p>{i18n.t("apiReference.beginning.start")}</p>
          <ConfigLines label={i18n.t("apiReference.shell")}>{start}</ConfigLines>
        </li>
        <li>
          <p>{i18n.t("apiReference.beginning.read")}</p>
          <ConfigLines label={i18n.t("apiReference.shell")}>{`SCAN=...\n${wait}`}</ConfigLines>
        </li>
      </ol>
      <p>{i18n.t("apiReference.beginning.locale")}</p>
      <p>{i18n.t("apiReference.beginning.refusals")}</p>
      <p>{i18n.t("apiReference.beginning.public")}</p>
      <p>
        <TextWithCode
          text={i18n.t("apiReference.beginning.headers", { charsMax: i18n.number(visit.settings.config["scan.header_chars_max"]) })}
        />
      </p>
    </Section>
  );
}

function EndpointPart({ method, path, operation }: Endpoint) {
  const { i18n, settings } = useVisit();
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const bodyName = bodyNameOf(requestBody?.content);
  const body = bodyName === null ? null : exampleBodyOf(settings.reference.api.components.schemas[bodyName] ?? {});
  return (
    <section id={operationId} aria-labelledby={`${operationId}-title`}>
      <h3 id={`${operationId}-title`}>
        <Code text={`${method} ${path}`} />
      </h3>
      <p>
        <FromDescription text={`${summary}.`} /> {description !== undefined && <FromDescription text={description} />}
      </p>
      {parameters.length > 0 && <Parameters parameters={parameters} />}
      {bodyName !== null && (
        <p>
          {i18n.t("apiReference.body")} <BodyLink name={bodyName} />
        </p>
      )}
      <ConfigLines label="curl">{curlOf(method, path, { body, file: fileTypeOf(requestBody?.content), parameters })}</ConfigLines>
      <Answers responses={responses} />
    </section>
  );
}

const placeTexts = { path: "apiReference.inPath", query: "apiReference.inQuery", header: "apiReference.inHeader" } as const;

function Parameters({ parameters }: { readonly parameters: NonNullable<Operation["parameters"]> }) {
  const { i18n } = useVisit();
  return (
    <TextTable
      caption="apiReference.parameters"
      captionUnseen={false}
      rows={parameters}
      columns={{
        "apiReference.columns.parameter": ({ name }) => <Code text={name} />,
        "apiReference.columns.place": ({ in: place }) => i18n.t(placeTexts[place]),
        "apiReference.columns.type": ({ schema }) => <Code text={typeOf(schema)} />,
        "apiReference.columns.meaning": ({ schema, required }) => <Notes schema={schema} optional={!required} />,
      }}
    />
  );
}

function Answers({ responses }: Pick<Operation, "responses">) {
  return (
    <TextTable
      caption="apiReference.answers"
      captionUnseen={false}
      rows={Object.entries(responses)}
      columns={{
        "apiReference.columns.status": ([status]) => status,
        "apiReference.columns.meaning": ([, { description }]) => <FromDescription text={description} />,
        "apiReference.columns.body": ([, { content }]) => <AnsweredBody content={content} />,
      }}
    />
  );
}

/** Link to the body, or the media types of a file. */
function AnsweredBody({ content }: { readonly content: Content | undefined }) {
  const { i18n } = useVisit();
  const name = bodyNameOf(content);
  const mediaTypes = Object.keys(content ?? {});
  if (name !== null) return <BodyLink name={name} />;
  if (mediaTypes.length === 0) return i18n.t("apiReference.noBody");
  return mediaTypes.map((mediaType) => (
    <div key={mediaType}>
      <Code text={mediaType} />
    </div>
  ));
}

function BodyLink({ name }: { readonly name: string }) {
  return <a href={`#${bodyId(name)}`}>{name}</a>;
}

/** Entries of each list that the example keeps. */
const entriesMax = 1;
/** Shape of a scan's token. */
const exampleToken = "4Zk0XyR7mQ2bVn9TsLw3Hd";

/** The sample scan as `GET .../security` renders it, with shortened lists. */
function ExampleAnswer() {
  const { i18n, settings } = useVisit();
  const { scan, result } = sampleScan as unknown as { readonly scan: ReadableScan; readonly result: StoredResult };
  const record: ReadableScan = {
    ...scan,
    token: exampleToken,
    status: "finished",
    progressStage: null,
    progressPercent: 100,
    errorCode: null,
  };
  const rendered = renderSecurityResult(record, result, i18n.locale, settings.texts);
  return (
    <Section title={i18n.t("apiReference.example.title")}>
      <p>{i18n.t("apiReference.example.lead", { entries: i18n.number(entriesMax) })}</p>
      <pre {...untranslated}>
        <code>{JSON.stringify(rendered, (_key, value) => (Array.isArray(value) ? value.slice(0, entriesMax) : value), 2)}</code>
      </pre>
    </Section>
  );
}

function bodyId(name: string): string {
  return `body-${name}`;
}

/** Text of the OpenAPI description, which is in English. */
function FromDescription({ text }: { readonly text: string }) {
  const { i18n } = useVisit();
  return (
    <span lang={i18n.locale === "en-gb" ? undefined : "en"}>
      <TextWithCode text={text} />
    </span>
  );
}

function BodyTable({ name, schema }: { readonly name: string; readonly schema: Schema }) {
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
function WebhookPart({ type, webhook }: { readonly type: string; readonly webhook: Webhook }) {
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
  return (
    <TextTable
      caption={() => name}
      rows={fields}
      columns={{
        "apiReference.columns.field": ({ path }) => <Code text={path} />,
        "apiReference.columns.type": ({ type }) => <Code text={type} />,
        "apiReference.columns.meaning": ({ schema, optional }) => <Notes schema={schema} optional={optional} />,
      }}
    />
  );
}

/** Constraints and description of a field or parameter. */
function Notes({ schema, optional }: { readonly schema: Schema; readonly optional: boolean }) {
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
