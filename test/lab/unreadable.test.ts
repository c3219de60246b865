/** Runs the laboratory cases for unreadable sites. */
import { labTests } from "./laboratory.ts";
import { unreadableCases } from "./unreadable.ts";

labTests("unreadable", unreadableCases);
