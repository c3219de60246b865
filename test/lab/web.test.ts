/** Runs the laboratory cases for headers, cookies, redirects, contents and files. */
import { labTests } from "./laboratory.ts";
import { webCases } from "./web.ts";

labTests("web", webCases);
