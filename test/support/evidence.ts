/** Evidence for tests, as authors of checks write it. */
export * from "../../src/authoring/evidence-given.ts";
export { httpAnswer as answer, weakSuiteAnswers as weakSuites } from "../../src/authoring/evidence-given.ts";
