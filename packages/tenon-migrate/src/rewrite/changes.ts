/** The edits of one file, the names they need imported, and its lines of the report. */
import MagicString from 'magic-string';
import type { Node } from 'oxc-parser';
import type { Project, ProjectFile } from '../syntax/project.ts';
import { placeOf, textOf } from '../syntax/source-file.ts';

/** Headings of `docs/guide/migrating.md`, where a line of the report is explained. */
export type Section =
  | 'what-tenon-migrate-reports'
  | 'what-a-port-has-to-decide'
  | 'the-server-with-tenon'
  | 'names-side-by-side';

/** One line of the report: what is left for a person. */
export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly what: string;
  readonly section: Section;
}

export type Kind = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';
export type Counts = Record<Kind, number>;

export class FileChanges {
  readonly project: Project;
  readonly file: ProjectFile;
  readonly text: MagicString;
  /** The names to import, with the names they get in this file. */
  readonly needs = new Map<string, string>();
  readonly findings: Finding[] = [];
  readonly converted: Counts = { tools: 0, prompts: 0, resources: 0, resourceTemplates: 0 };
  /** What has been rewritten or reported. */
  readonly handled = new Set<Node>();

  constructor(project: Project, file: ProjectFile) {
    this.project = project;
    this.file = file;
    this.text = new MagicString(file.source.text);
  }

  /** The name that a function of Tenon or zod has in this file; it is imported if it is not. */
  need(name: string): string {
    const known = this.needs.get(name);
    if (known !== undefined) return known;
    const own = this.imported(name);
    const local = own ?? (this.file.scopes.names.has(name) ? aliasOf(name) : name);
    if (own === undefined) this.needs.set(name, local);
    return local;
  }

  /** The name of an import that an earlier run, or the user, has written. */
  private imported(name: string): string | undefined {
    const isHome = name === 'z' ? /^zod(?:\/v4)?$/ : /^tenon(?:\/|$)/;
    for (const { node, name: local, kind } of this.file.scopes.bindings) {
      const declaration = kind === 'import' ? this.file.source.parentOf(node) : undefined;
      if (declaration?.type !== 'ImportDeclaration' || !isHome.test(declaration.source.value)) continue;
      // `import * as z`, `import z`, or by its name.
      const isOfName = node.type !== 'ImportSpecifier' || ('name' in node.imported && node.imported.name === name);
      if (isOfName && (name === 'z' || node.type === 'ImportSpecifier')) return local;
    }
    return undefined;
  }

  report(node: { readonly start: number }, what: string, section: Section): void {
    const { path, text } = this.file.source;
    this.findings.push({ path, ...placeOf(text, node.start), what, section });
  }

  textOf(node: { readonly start: number; readonly end: number }): string {
    return textOf(this.file.source, node);
  }

  /** Puts text around a node. What is done later is outside. */
  wrap(node: { readonly start: number; readonly end: number }, before: string, after: string): void {
    if (before !== '') this.text.prependRight(node.start, before);
    if (after !== '') this.text.appendLeft(node.end, after);
  }

  replace(start: number, end: number, text: string): void {
    if (start === end) this.text.appendLeft(start, text);
    else if (text === '') this.text.remove(start, end);
    else this.text.update(start, end, text);
  }

  /** Comments in a part of the text that is replaced; they are written again. */
  commentsIn(start: number, end: number): string {
    return this.file.source.comments
      .filter((one) => one.start >= start && one.end <= end)
      .map((one) => this.textOf(one) + (one.type === 'Line' ? '\n' : ' '))
      .join('');
  }
}

const aliasOf = (name: string): string =>
  name.startsWith('create') ? name.replace('create', 'createTenon') : `tenon${name[0]?.toUpperCase()}${name.slice(1)}`;
