/** Reads YAML or JSON into nodes with their places. Anchors, and what is too long or nested too deeply, are refused. */
import {
  isAlias,
  isCollection,
  isMap,
  isScalar,
  Lexer,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml';

interface DocumentProblem {
  /** Where it is, in characters. */
  readonly offset: number;
  /** Completes the sentence "the document …". */
  readonly problem: string;
  readonly hint: string;
}

export interface PlacedDocument {
  /** Nothing if the document cannot be read. */
  readonly root: Node | null | undefined;
  readonly problems: readonly DocumentProblem[];
  /** Line and column, from 1. */
  positionOf(offset: number): { readonly line: number; readonly column: number };
}

export interface DocumentBounds {
  readonly maxChars: number;
  readonly maxNesting: number;
}

export function parsePlaced(text: string, { maxChars, maxNesting }: DocumentBounds): PlacedDocument {
  const lines = new LineCounter();
  const positionOf = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const refused = (problem: DocumentProblem): PlacedDocument => ({ root: undefined, problems: [problem], positionOf });
  if (text.length > maxChars)
    return refused({ offset: 0, problem: 'is too long', hint: `At most ${maxChars} characters are allowed.` });
  const deep = tooDeepAt(text, maxNesting);
  if (deep !== undefined) {
    // Without a parsed document the line is not known to the counter.
    for (const { index } of text.matchAll(/^/gm)) lines.addNewLine(index);
    const hint = `At most ${maxNesting} levels are allowed.`;
    return refused({ offset: deep, problem: 'is nested too deeply', hint });
  }
  const problems: DocumentProblem[] = [];
  try {
    // Equal keys are looked for below: the parser compares each key with all others.
    const options = {
      schema: 'core',
      lineCounter: lines,
      prettyErrors: false,
      logLevel: 'error',
      uniqueKeys: false,
    } as const;
    const document = parseDocument(text, options);
    for (const { pos, message } of [...document.errors, ...document.warnings]) {
      const hint = message.replace(/\.?$/, '.');
      problems.push({ offset: pos[0], problem: 'is not valid YAML or JSON', hint });
    }
    // A document of few characters could expand to a very large one.
    visit(document, {
      Node: (_key, node) => {
        const anchored = isAlias(node) || ((isScalar(node) || isCollection(node)) && node.anchor !== undefined);
        const offset = node.range?.[0] ?? 0;
        if (anchored) problems.push({ offset, problem: 'has an anchor or alias', hint: 'Write the value out.' });
        if (isMap<Node>(node)) problems.push(...repeatedKeys(node));
      },
    });
    return { root: document.contents, problems, positionOf };
  } catch (cause) {
    // The parser recurses, so deep nesting ends in a RangeError.
    return refused({ offset: 0, problem: 'cannot be read', hint: `${(cause as Error).message}.` });
  }
}

/** Keys that an object has twice. */
function repeatedKeys({ items }: YAMLMap<Node>): DocumentProblem[] {
  const seen = new Set<unknown>();
  return items.flatMap(({ key }) => {
    const value = isScalar(key) ? key.value : key;
    if (!seen.has(value)) {
      seen.add(value);
      return [];
    }
    const hint = 'Map keys must be unique.';
    return [{ offset: key.range?.[0] ?? 0, problem: 'is not valid YAML or JSON', hint }];
  });
}

/** Tokens that are not in the text: they mark documents, scalars and errors. */
const marks = new Set(['\u0002', '\u0018', '\u001f']);

/** The offset where a document nests deeper than `most`, or `undefined`. */
function tooDeepAt(text: string, most: number): number | undefined {
  let [offset, brackets, dashes] = [0, 0, 0];
  for (const token of new Lexer().lex(text)) {
    if (token === '[' || token === '{') brackets++;
    else if (token === ']' || token === '}') brackets--;
    else if (token === '-' || token === '?') dashes++;
    else if (token.startsWith('\n') || token.startsWith('\r')) dashes = 0;
    if (brackets + dashes > most) return offset;
    if (!marks.has(token)) offset += token.length;
  }
  return undefined;
}
