/** `/api`: how to use the API, and every request and body of it, made from its own description. */
import { page } from "../answer.tsx";
import { Lines } from "../components/lines.tsx";
import { PageHead } from "../components/page-head.tsx";
import { Row, RowGroup, Table } from "../components/table.tsx";
import { useVisit } from "../context.ts";
import { publicOrigin, type Visit } from "../visit.ts";
import { BodyTable, bodyId, Code, FromDescription, Notes } from "./api-bodies.tsx";
import { bodyNameOf, type Operation, typeOf } from "./api-document.ts";
import { curlOf, exampleBodyOf } from "./curl.ts";

interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export function getApiReference(visit: Visit): Response {
  const { words } = visit;
  const { paths, components } = visit.settings.reference.api;
  const endpoints = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Endpoint => ({ method: method.toUpperCase(), path, operation })),
  );
  return page(visit, {
    title: words.say("apiReference.title"),
    children: (
      <>
        <PageHead title={words.say("apiReference.title")} lead={words.say("apiReference.lead")} />
        <Contents endpoints={endpoints} />
        <Beginning />
        <section>
          <h2>{words.say("apiReference.requests")}</h2>
          {endpoints.map((endpoint) => (
            <EndpointPart key={endpoint.operation.operationId} {...endpoint} />
          ))}
        </section>
        <section>
          <h2>{words.say("apiReference.bodies")}</h2>
          <p>{words.say("apiReference.bodiesLead")}</p>
          {Object.entries(components.schemas).map(([name, schema]) => (
            <BodyTable key={name} name={name} schema={schema} />
          ))}
        </section>
      </>
    ),
  });
}

function Contents({ endpoints }: { readonly endpoints: readonly Endpoint[] }) {
  const { words } = useVisit();
  return (
    <nav aria-label={words.say("apiReference.contents")}>
      <ul>
        {endpoints.map(({ method, path, operation }) => (
          <li key={operation.operationId}>
            <a href={`#${operation.operationId}`}>
              <Code text={`${method} ${path}`} />
            </a>
          </li>
        ))}
        <li>
          <a href="/api/v1/openapi.json">{words.say("apiReference.description")}</a>
        </li>
      </ul>
    </nav>
  );
}

/** What somebody needs who starts from nothing. */
function Beginning() {
  const visit = useVisit();
  const { words } = visit;
  const start = curlOf("POST", "/api/v1/scans", { body: '{"url": "https://site.example/"}' });
  const result = '"$BASE/api/v1/scans/$SCAN/security" -H "Authorization: Bearer $TOKEN"';
  const wait = `until curl -s ${result} \\\n  | tee result.json | grep -qE '"status":"(finished|failed)"'\ndo sleep 2; done`;
  return (
    <section>
      <h2>{words.say("apiReference.beginning.title")}</h2>
      <ol>
        <li>
          <p>
            {words.say("apiReference.beginning.token")} <a href="/account/tokens">{words.say("apiReference.beginning.tokens")}</a>
          </p>
          <Lines label={words.say("apiReference.shell")}>{`BASE=${publicOrigin(visit)}\nTOKEN=assay_...`}</Lines>
        </li>
        <li>
          <p>{words.say("apiReference.beginning.start")}</p>
          <Lines label={words.say("apiReference.shell")}>{start}</Lines>
        </li>
        <li>
          <p>{words.say("apiReference.beginning.read")}</p>
          <Lines label={words.say("apiReference.shell")}>{`SCAN=...\n${wait}`}</Lines>
        </li>
      </ol>
      <p>{words.say("apiReference.beginning.locale")}</p>
      <p>{words.say("apiReference.beginning.refusals")}</p>
      <p>{words.say("apiReference.beginning.public")}</p>
    </section>
  );
}

function EndpointPart({ method, path, operation }: Endpoint) {
  const { words, settings } = useVisit();
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
          {words.say("apiReference.body")} <BodyLink name={bodyName} />
        </p>
      )}
      <Lines label="curl">{curlOf(method, path, { body })}</Lines>
      <Answers responses={responses} />
    </section>
  );
}

function Parameters({ parameters }: { readonly parameters: NonNullable<Operation["parameters"]> }) {
  const { words } = useVisit();
  const columns = [
    { label: words.say("apiReference.columns.parameter") },
    { label: words.say("apiReference.columns.place") },
    { label: words.say("apiReference.columns.type") },
    { label: words.say("apiReference.columns.meaning") },
  ];
  return (
    <Table caption={words.say("apiReference.parameters")} columns={columns}>
      <RowGroup>
        {parameters.map(({ name, in: place, required, schema }) => (
          <Row
            key={name}
            cells={[
              <Code key="name" text={name} />,
              words.say(place === "path" ? "apiReference.inPath" : "apiReference.inQuery"),
              <Code key="type" text={typeOf(schema)} />,
              <Notes key="notes" schema={schema} optional={!required} />,
            ]}
          />
        ))}
      </RowGroup>
    </Table>
  );
}

function Answers({ responses }: Pick<Operation, "responses">) {
  const { words } = useVisit();
  const columns = [
    { label: words.say("apiReference.columns.status") },
    { label: words.say("apiReference.columns.meaning") },
    { label: words.say("apiReference.columns.body") },
  ];
  return (
    <Table caption={words.say("apiReference.answers")} columns={columns}>
      <RowGroup>
        {Object.entries(responses).map(([status, { description, content }]) => (
          <Row
            key={status}
            cells={[status, <FromDescription key="meaning" text={description} />, <BodyLink key="body" name={bodyNameOf(content)} />]}
          />
        ))}
      </RowGroup>
    </Table>
  );
}

function BodyLink({ name }: { readonly name: string | null }) {
  const { words } = useVisit();
  if (name === null) return words.say("apiReference.noBody");
  return <a href={`#${bodyId(name)}`}>{name}</a>;
}
