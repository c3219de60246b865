/** CPU time of this process in milliseconds. Unlike a clock, it stands still while other programs keep the machine busy. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
