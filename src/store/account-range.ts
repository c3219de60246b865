/** Ranges of keys that begin with an id. Apart from database.ts, whose row formats are made from the repositories. */

/** Range of one account's rows in a table whose keys begin with the account id, oldest first. */
export function accountRange(accountId: number): { readonly start: [number, number]; readonly end: [number, number] } {
  return { start: [accountId, 0], end: [accountId + 1, 0] };
}
