/** Described forms: what is read from the submitted fields. */
import { describe, expect, test } from "vitest";
import { choiceOf, type FormDescription, initialValues, readFields } from "../../../src/web/components/forms.tsx";
import { PageError } from "../../../src/web/errors.ts";

const form = {
  name: { label: "sites.form.name", trimmed: true },
  zone: { label: "sites.form.zone", initial: "UTC" },
  action: choiceOf(["scan", "pause"], (action) => `sites.bulk.actions.${action}`, { label: "sites.bulk.action", initial: "pause" }),
  place: { control: "select", label: "location.label", options: [] },
  all: { control: "check", label: "channels.create.all" },
  "event[]": { control: "checks", label: "channels.rules.events", options: () => [], values: ["opened", "resolved"] },
} satisfies FormDescription;

function submitted(fields: Readonly<Record<string, string>>, ticked: readonly string[] = []) {
  return readFields(form, { text: (name) => fields[name] ?? "", all: () => ticked });
}

describe("fields of a form", () => {
  test("are read by name; those that were not sent are empty", () => {
    const values = submitted({ name: " a ", zone: " b ", action: "scan", place: "anywhere", all: "yes", other: "c" });
    expect(values).toEqual({ name: "a", zone: " b ", action: "scan", place: "anywhere", all: true, "event[]": [] });
    expect(submitted({ action: "pause" })).toEqual({ name: "", zone: "", action: "pause", place: "", all: false, "event[]": [] });
  });

  test.each(["", "delete", "toString"])("refuse the choice %j, which the form does not offer", (action) => {
    expect(() => submitted({ action })).toThrow(PageError);
  });

  test("are the ticked values of a list, in its order", () => {
    expect(submitted({ action: "pause" }, ["resolved", "burned", "opened"])["event[]"]).toEqual(["opened", "resolved"]);
  });

  test("have initial values", () => {
    expect(initialValues(form)).toEqual({ name: "", zone: "UTC", action: "pause", place: "", all: false, "event[]": [] });
  });
});
