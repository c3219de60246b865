/** Child process of the read cache tests: `bun put-in-child.ts <dataDir> <email> <id>` commits one row. */
import { openDatabase } from "../../../src/store/database.ts";

const [dataDir = "", email = "", id] = process.argv.slice(2);
const db = openDatabase(dataDir, { readOnly: false });
await db.write(() => db.accountIdsByEmail.put(email, Number(id)));
await db.close();
