/** Example answer of the API: the sample scan as `GET .../security` renders it, with shortened lists. */
import type { StoredResult } from "../../judge/result.ts";
import { untranslated } from "../../report/components/untrusted-text.tsx";
import { type ReadableScan, renderSecurityResult } from "../../text/render.ts";
import { useVisit } from "../context.ts";
import sampleScan from "../report/sample-scan.json" with { type: "json" };

/** Entries of each list that the example keeps. */
const entriesMax = 1;
/** Shape of a scan's token. */
const exampleToken = "4Zk0XyR7mQ2bVn9TsLw3Hd";

export function ExampleAnswer() {
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
    <section>
      <h2>{i18n.t("apiReference.example.title")}</h2>
      <p>{i18n.t("apiReference.example.lead", { entries: i18n.number(entriesMax) })}</p>
      <pre {...untranslated}>
        <code>{JSON.stringify(rendered, shortenLists, 2)}</code>
      </pre>
    </section>
  );
}

function shortenLists(_key: string, value: unknown): unknown {
  return Array.isArray(value) ? value.slice(0, entriesMax) : value;
}
