/** Reads the JSDoc of a declaration: its first sentence and its tags. */
import ts from 'typescript';
import { type Problems, report } from './problems.ts';
import { placeOf } from './sources.ts';

/** The tags of an interface, of its members, and of a fixed limit. */
const interfaceTags = ['area', 'of', 'noTable'] as const;
const memberTags = ['default', 'beyond', 'code', 'least', 'most', 'whole', 'orInfinity', 'rule'] as const;
const limitTags = ['limit', 'option', 'default', 'beyond', 'code'] as const;

/** Tags that are about something else and may stand anywhere. */
const otherTags: ReadonlySet<string> = new Set(['deprecated', 'example', 'internal', 'see', 'template']);

export type Tags = Readonly<Partial<Record<Tag, string>>>;
export type Tag = (typeof interfaceTags | typeof memberTags | typeof limitTags)[number];

export interface Doc {
  readonly sentence: string;
  readonly tags: Tags;
}

export const known = { interface: interfaceTags, member: memberTags, limit: limitTags };

/** Complains of tags that are unknown, or that this kind of declaration does not have. */
export function readDoc(node: ts.Node, kind: keyof typeof known, what: string, problems: Problems): Doc {
  const tags: Partial<Record<Tag, string>> = {};
  for (const tag of ts.getJSDocTags(node)) {
    const name = tag.tagName.text as Tag;
    if ((known[kind] as readonly string[]).includes(name))
      tags[name] = onOneLine(ts.getTextOfJSDocComment(tag.comment));
    else if (!otherTags.has(name))
      report(problems, placeOf(node), `${what} has the tag @${name}.`, `Its tags are ${names(known[kind])}.`);
  }
  return { sentence: firstSentence(commentOf(node)), tags };
}

export const hasTag = (node: ts.Node, name: Tag): boolean =>
  ts.getJSDocTags(node).some((tag) => tag.tagName.text === name);

const names = (tags: readonly string[]): string => tags.map((name) => `@${name}`).join(', ');

function commentOf(node: ts.Node): string {
  const doc = ts.getJSDocCommentsAndTags(node).find(ts.isJSDoc);
  return onOneLine(ts.getTextOfJSDocComment(doc?.comment));
}

const onOneLine = (text: string | undefined): string => (text ?? '').replace(/\s+/g, ' ').trim();

/** Without its full stop. A stop inside a name, such as `limits.maxStreams`, ends no sentence. */
const firstSentence = (text: string): string => (/^.*?\.(?= |$)/.exec(text)?.[0] ?? text).replace(/\.$/, '');
