/** Headers, cookies, redirects, contents and files, served and scanned for real. */
import { labTests } from "./laboratory.ts";
import { webCases } from "./web.ts";

labTests("web", webCases);
