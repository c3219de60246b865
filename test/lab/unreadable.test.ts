/** Sites of which something cannot be read, served and scanned for real. */
import { labTests } from "./laboratory.ts";
import { unreadableCases } from "./unreadable.ts";

labTests("unreadable", unreadableCases);
