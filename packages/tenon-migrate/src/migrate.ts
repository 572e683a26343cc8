/** Converts the files of a project: text in, text and report out. Touches no disk. */
import { type Counts, FileChanges, type Finding } from './rewrite/changes.ts';
import { rewriteImports } from './rewrite/imports.ts';
import { reportLeftovers } from './rewrite/leftovers.ts';
import { rewriteRegistrations } from './rewrite/register.ts';
import { rewriteServers } from './rewrite/servers.ts';
import { tidyFile } from './rewrite/tidy.ts';
import { usesSdk } from './sdk.ts';
import { createProject, type ProjectFile } from './syntax/project.ts';
import { parseSource, placeOf, type SourceFile, SyntaxProblem } from './syntax/source-file.ts';

export interface SourceText {
  readonly path: string;
  readonly text: string;
}

/** A file that was left as it is, and why. */
export interface Failure {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export interface Migration {
  /** The files that change, with their new text. */
  readonly changed: readonly SourceText[];
  /** What is left for a person, by file and place. */
  readonly findings: readonly Finding[];
  readonly failures: readonly Failure[];
  /** How much was converted. */
  readonly converted: Counts;
  /** Whether any file imports the SDK. */
  readonly usesSdk: boolean;
  /** Whether any file imports Tenon: an earlier run, or the user, was there. */
  readonly usesTenon: boolean;
}

export interface MigrateOptions {
  /** Joins calls at the top level in the definition of their server. */
  readonly tidy?: boolean;
}

export function migrate(files: readonly SourceText[], { tidy = false }: MigrateOptions = {}): Migration {
  const failures: Failure[] = [];
  const sources = files.flatMap((file) => parsed(file, failures));
  const project = createProject(sources);
  const official = [...project.values()].some(usesSdk);
  const converted = { tools: 0, prompts: 0, resources: 0, resourceTemplates: 0 };
  const findings: Finding[] = [];
  const changed: SourceText[] = [];
  for (const file of official ? project.values() : []) {
    const changes = new FileChanges(project, file);
    rewriteRegistrations(changes);
    rewriteServers(changes);
    reportLeftovers(changes);
    findings.push(...inOrder(changes.findings));
    const text = finished(changes, file, tidy, failures);
    if (text === undefined) continue;
    for (const [kind, count] of Object.entries(changes.converted)) converted[kind as keyof Counts] += count;
    if (text !== file.source.text) changed.push({ path: file.source.path, text });
  }
  const usesTenon = sources.some(({ text }) => /from\s*['"]tenon(?:\/|['"])/.test(text));
  return { changed, findings, failures, converted, usesSdk: official, usesTenon };
}

const inOrder = (findings: readonly Finding[]): Finding[] =>
  [...findings].sort((a, b) => a.line - b.line || a.column - b.column);

function parsed({ path, text }: SourceText, failures: Failure[]): SourceFile[] {
  try {
    return [parseSource(path, text)];
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
    failures.push({ path, ...placeOf(text, error.offset), message: `${error.message}. Fix it, then run again.` });
    return [];
  }
}

/** The new text of a file; `undefined`, with a failure, if it would not parse. */
function finished(changes: FileChanges, file: ProjectFile, tidy: boolean, failures: Failure[]): string | undefined {
  const { path } = file.source;
  const rewritten = changes.text.toString();
  try {
    const text = rewritten === file.source.text ? rewritten : rewriteImports(rewritten, file, changes.needs);
    const result = withLineEnds(file.source.text, tidy ? tidyFile(path, text) : text);
    parseSource(path, result);
    return result;
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
    const message = `The converted file does not parse (${error.message}), so it was left as it is. Please report this file.`;
    failures.push({ path, line: 1, column: 1, message });
    return undefined;
  }
}

/** Lines that are added end as those of the file do. */
const withLineEnds = (before: string, after: string): string =>
  /(?<!\r)\n/.test(before) ? after : after.replace(/\r?\n/g, before.includes('\r') ? '\r\n' : '\n');
