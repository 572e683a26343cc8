/** What is wrong with the tags, each with its place and the fix. */
export type Problems = string[];

export function report(problems: Problems, place: string, problem: string, fix: string): void {
  problems.push(`${place}: ${problem} ${fix}`);
}
