/** The case of the laboratory that needs the machine alone. */
import { labTests } from "../laboratory.ts";
import { endlessScriptCase } from "../unreadable.ts";

labTests("unreadable", [endlessScriptCase]);
