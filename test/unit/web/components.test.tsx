/** Components of the pages: what sighted readers see and screen readers read. */

import type { VNode } from "preact";
import { describe, expect, test } from "vitest";
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { type Locale, severities } from "../../../src/check/check.ts";
import { EffortMeter, Instant, SeverityChip, StateLabel } from "../../../src/report/components/labels.tsx";
import { Row, RowGroup, Table } from "../../../src/report/components/layout.tsx";
import { Notice } from "../../../src/report/components/notice.tsx";
import { ScoreRing, SmallScore } from "../../../src/report/components/score-ring.tsx";
import { ExternalLink, HostUrl } from "../../../src/report/components/untrusted-text.tsx";
import { shownStates } from "../../../src/text/ledger-rows.ts";
import { type FormDescription, FormFields } from "../../../src/web/components/forms.tsx";
import { PageHead, Pagination } from "../../../src/web/components/navigation.tsx";
import { VisitContext } from "../../../src/web/context.ts";
import type { SharedVisit } from "../../../src/web/visit.ts";
import { pageIn, partHtml } from "../../support/part-html.tsx";

function htmlOf(part: VNode, locale: Locale = "en-gb"): string {
  return partHtml(part, pageIn(locale));
}

describe("states and severities", () => {
  test.each(shownStates)("%s has an icon and a text", (state) => {
    const html = htmlOf(<StateLabel state={state} />);
    expect(html).toMatch(/ data-mark[ =>]/);
    expect(html.toLowerCase()).toContain(`>${enGb.pages.words.states[state]}<`);
  });

  test("all states have different icons", () => {
    const shapeOf = (html: string) => / data-mark(="[^"]*")?/.exec(html)?.[0];
    expect(new Set(shownStates.map((state) => shapeOf(htmlOf(<StateLabel state={state} />)))).size).toBe(shownStates.length);
  });

  test("critical, high and the milder severities differ without colour", () => {
    const styled = (style: string) => severities.filter((severity) => htmlOf(<SeverityChip severity={severity} />).includes(style));
    expect(styled("outlined")).toEqual(["medium", "low", "info"]);
    expect(styled("solid")).toEqual(["critical"]);
  });

  test("effort fills one to three bars", () => {
    expect(htmlOf(<EffortMeter effort="low" />)).toContain('data-level="1"');
    expect(htmlOf(<EffortMeter effort="high" />)).toContain('data-level="3"');
    expect(htmlOf(<EffortMeter effort="medium" />, "de-de")).toContain("Aufwand mittel");
  });
});

describe("the score", () => {
  const ring = (score: number | null) =>
    score === null ? <ScoreRing score={null} rank="unknown" /> : <ScoreRing score={score} rank="excellent" />;

  test("is drawn as a share of 100, by attributes only", () => {
    const html = htmlOf(<ScoreRing score={87} rank="solid" />);
    expect(html).toContain('stroke-dasharray="87 100"');
    expect(html).toContain('role="img" aria-label="87 of 100, solid"');
    expect(html).not.toContain("style=");
  });

  test("shows no zero if it was not measured", () => {
    for (const part of [ring(null), <SmallScore key="small" score={null} />]) {
      expect(htmlOf(part)).toContain("not measured");
      expect(htmlOf(part)).not.toMatch(/>0</);
    }
    expect(htmlOf(ring(0))).toContain(">0<");
  });
});

/** HTML of a form with one field. */
function fieldHtml(form: FormDescription, value?: string, error?: string): string {
  const [name = ""] = Object.keys(form);
  const errors = error === undefined ? null : new Map([[name, error]]);
  // A field reads nothing else of the visit.
  const visit = { i18n: pageIn().i18n } as SharedVisit;
  return htmlOf(
    <VisitContext.Provider value={visit}>
      <FormFields form={form} values={{ [name]: value }} errors={errors} />
    </VisitContext.Provider>,
  );
}

describe("a field", () => {
  test("refers to label, hint and error, and gets the focus on an error", () => {
    const form = { email: { label: () => "Mail", hint: () => "Yours" } };
    const html = fieldHtml(form, '"><script>', "Not a mail address");
    expect(html).toContain('<label for="email">');
    expect(html).toContain('aria-describedby="email-error email-hint"');
    expect(html).toContain('aria-invalid="true"');
    expect(html).toContain("autofocus");
    expect(html).toContain('id="email-error"');
    expect(html).not.toContain("<script>");
  });

  test("marks an optional field and does not require it", () => {
    const html = fieldHtml({ host: { label: () => "Host", required: false } });
    expect(html).toContain("(optional)");
    expect(html).not.toMatch(/ required|aria-invalid|aria-describedby|autofocus/);
  });

  test("for passwords has a reveal button for the script", () => {
    const html = fieldHtml({ password: { control: "password", label: () => "Password" } }, "secret");
    expect(html).toMatch(/<button[^>]*data-reveal="#password"[^>]* hidden/);
    expect(html).not.toContain("secret");
  });

  test("of choices selects the current one", () => {
    const options = ["a", "b"].map((value) => ({ value, text: value }));
    const form = { plan: { control: "select", label: () => "Plan", options } } satisfies FormDescription;
    expect(fieldHtml(form, "b")).toContain('<option value="b" selected>');
  });
});

describe("links and addresses", () => {
  test.each(["javascript:alert(1)", "data:text/html,x", "//elsewhere.example", "mailto:a@b.example", ""])("%s is not a link", (href) => {
    expect(htmlOf(<ExternalLink href={href}>here</ExternalLink>)).toBe("<span>here</span>");
  });

  test("to other sites send no referrer", () => {
    expect(htmlOf(<ExternalLink href="https://a.example/">here</ExternalLink>)).toContain('rel="nofollow noopener noreferrer"');
  });

  test.each(["https://example.org/a?b=<c>", "https://EXAMPLE.org/", "no address", "https://m\u00fcller.example/"])(
    "%s is shown in full",
    (url) => {
      const html = htmlOf(<HostUrl url={url} />);
      expect(html).toContain('translate="no"');
      expect(html.replace(/<[^>]+>/g, "")).toBe(url.replace("<", "&lt;").replace(">", ">"));
    },
  );
});

test("an internationalized host is shown in Unicode first and then in ASCII", () => {
  const shown = (url: string) => htmlOf(<HostUrl url={url} />).replace(/<[^>]+>/g, "");
  expect(shown("https://xn--bcher-kva.example:8443/a")).toBe("https://b\u00fccher.example:8443/a (in ASCII xn--bcher-kva.example)");
  // The scheme contains the host.
  expect(htmlOf(<HostUrl url="http://t/tea" />)).toMatch(/http:\/\/<.*<strong><[^>]+>t<\/.*<\/strong>.*\/tea/);
  // Not a valid A-label, so it has no Unicode form.
  expect(shown("https://xn--zzzzzzzz.example/")).toBe("https://xn--zzzzzzzz.example/");
});

describe("parts of lists", () => {
  test("table cells carry their column name", () => {
    const html = htmlOf(
      <Table caption="Scans" columns={[{ label: "Page" }, { label: "Score", numeric: true }, { label: "Open", unseen: true }]}>
        <RowGroup label="Today">
          <Row id="one" cells={["a.example", "87", null]} />
        </RowGroup>
      </Table>,
    );
    expect(html).toContain("<caption>Scans</caption>");
    expect(html).toContain('<th scope="rowgroup" colspan="3">Today</th>');
    expect(html).toContain(
      '<tr id="one"><th scope="row">a.example</th><td class="num" data-label="Score"><div>87</div></td><td></td></tr>',
    );
  });

  test("a list with one page has no pagination", () => {
    const pathOf = (cursor: number | null) => `/scans?before=${cursor}`;
    expect(htmlOf(<Pagination cursor={null} next={null} pathOf={pathOf} />)).toBe("");
    expect(htmlOf(<Pagination cursor={null} next={7} pathOf={pathOf} />)).toMatch(/href="\/scans\?before=7" rel="next"/);
  });

  test("an instant shows its time zone, and leaves its age to the script", () => {
    const html = htmlOf(<Instant at="2026-11-19T14:05:00.000Z" />, "de-de");
    expect(html).toContain('datetime="2026-11-19T14:05:00.000Z"');
    expect(html).toMatch(/UTC<\/time> <span class="ago muted" data-ago="2026-11-19T14:05:00\.000Z"><\/span>/);
  });
});

describe("page heads", () => {
  test("has one heading and its breadcrumbs", () => {
    const html = htmlOf(<PageHead title="A report" lead="Of a page" breadcrumbs={[{ href: "/scans", text: "Scans" }]} />);
    expect(html.match(/<h1>/g)).toHaveLength(1);
    expect(html).toContain('<nav class="breadcrumb" aria-label="Where you are">');
  });

  test("a notice shows its kind by more than colour", () => {
    const html = htmlOf(
      <Notice kind="poor" alert>
        <p>No</p>
      </Notice>,
    );
    expect(html).toContain('role="alert"');
    expect(html).toContain("Problem: ");
  });
});
