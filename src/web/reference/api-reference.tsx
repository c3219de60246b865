/** `/api`: API guide and reference, generated from the OpenAPI description. */

import { DataTable } from "../../report/components/layout.tsx";
import { ConfigLines } from "../../report/components/remediation.tsx";
import { PageHead } from "../components/page-head.tsx";
import { useVisit } from "../context.ts";
import { page } from "../page.tsx";
import { publicOrigin, type Visit } from "../visit.ts";
import { BodyTable, bodyId, Code, FromDescription, Notes, WebhookPart } from "./api-bodies.tsx";
import { bodyNameOf, type Content, fileTypeOf, type Operation, typeOf } from "./api-document.ts";
import { TextWithCode } from "./coded.tsx";
import { curlOf, exampleBodyOf } from "./curl.ts";
import { ExampleAnswer } from "./example-answer.tsx";

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
    children: (
      <>
        <PageHead title={i18n.t("apiReference.title")} lead={i18n.t("apiReference.lead")} />
        <Contents endpoints={endpoints} />
        <GettingStarted />
        <ExampleAnswer />
        <section>
          <h2>{i18n.t("apiReference.requests")}</h2>
          {endpoints.map((endpoint) => (
            <EndpointPart key={endpoint.operation.operationId} {...endpoint} />
          ))}
        </section>
        <section>
          <h2>{i18n.t("apiReference.bodies")}</h2>
          <p>{i18n.t("apiReference.bodiesLead")}</p>
          {Object.entries(components.schemas).map(([name, schema]) => (
            <BodyTable key={name} name={name} schema={schema} />
          ))}
        </section>
        <section>
          <h2>{i18n.t("apiReference.webhooks")}</h2>
          <p>
            <TextWithCode text={i18n.t("apiReference.webhooksLead")} />
          </p>
          {Object.entries(webhooks).map(([type, { post }]) => (
            <WebhookPart key={type} type={type} webhook={post} />
          ))}
        </section>
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
    <section>
      <h2>{i18n.t("apiReference.beginning.title")}</h2>
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
    </section>
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
    <DataTable
      caption={i18n.t("apiReference.parameters")}
      rows={parameters}
      columns={[
        { label: i18n.t("apiReference.columns.parameter"), cell: ({ name }) => <Code text={name} /> },
        {
          label: i18n.t("apiReference.columns.place"),
          cell: ({ in: place }) => i18n.t(placeTexts[place]),
        },
        { label: i18n.t("apiReference.columns.type"), cell: ({ schema }) => <Code text={typeOf(schema)} /> },
        { label: i18n.t("apiReference.columns.meaning"), cell: ({ schema, required }) => <Notes schema={schema} optional={!required} /> },
      ]}
    />
  );
}

function Answers({ responses }: Pick<Operation, "responses">) {
  const { i18n } = useVisit();
  return (
    <DataTable
      caption={i18n.t("apiReference.answers")}
      rows={Object.entries(responses)}
      columns={[
        { label: i18n.t("apiReference.columns.status"), cell: ([status]) => status },
        { label: i18n.t("apiReference.columns.meaning"), cell: ([, { description }]) => <FromDescription text={description} /> },
        { label: i18n.t("apiReference.columns.body"), cell: ([, { content }]) => <AnsweredBody content={content} /> },
      ]}
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
