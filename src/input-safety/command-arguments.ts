/** Arguments of a program from untrusted values: a list for `spawn` or `execFile`, never a line for a shell. */
import { TenonError } from '../lib/errors/tenon-error.ts';

/** One argument, or several. */
export type ArgumentValue = string | number | readonly (string | number)[];

/**
 * Characters of a value of `commandArguments`. Linux takes no longer argument than 128 KiB, and programs expect far less.
 * @limit input safety
 * @beyond the value is rejected
 * @code unsafe-argument
 */
const maxValueChars = 8192;

/**
 * Characters of all values of `commandArguments`.
 * @limit input safety
 * @beyond the value is rejected
 * @code unsafe-argument
 */
const maxTotalChars = 100_000;

/** Shell syntax. Without a shell the program would receive it literally, which the author did not mean. */
const shellSyntax = /["'`\\|&;<>$*?(){}[\]~#!\0]/;

/**
 * Builds the list of arguments of a program: commandArguments`log --max-count=${count} -- ${path}`. Spaces of the template separate
 * arguments, spaces of a value do not. A list gives one argument for each item.
 *
 * A value that begins with `-` is refused where it would be an argument of its own, because the program would read it as an
 * option. Behind `--` and behind the start of an option (`--author=${name}`) it is allowed. Throws `unsafe-argument`.
 */
export function commandArguments(template: TemplateStringsArray, ...values: readonly ArgumentValue[]): string[] {
  const built = new ArgumentList();
  for (const [index, text] of template.entries()) {
    built.addText(text);
    if (index < values.length) built.addValue(values[index] as ArgumentValue, index + 1);
  }
  return built.finish();
}

class ArgumentList {
  readonly #done: string[] = [];
  /** The argument that is being written; `undefined` between two. */
  #open: string | undefined;
  #hasSeparator = false;
  #chars = 0;

  addText(text: string): void {
    const [found] = shellSyntax.exec(text) ?? [];
    if (found !== undefined)
      throw new TenonError('invalid-argument', `commandArguments(): the template has the character ${found}.`, {
        hint: 'No shell reads the arguments: write them without quotes, and put special characters into a value.',
      });
    for (const part of text.split(/(\s+)/)) {
      if (/^\s+$/.test(part)) this.#close();
      else if (part !== '') this.#open = (this.#open ?? '') + part;
    }
  }

  addValue(value: ArgumentValue, position: number): void {
    if (!Array.isArray(value)) {
      this.#open = (this.#open ?? '') + this.#checked(value as string | number, position);
      return;
    }
    if (this.#open !== undefined) throw unsafe(position, 'is a list inside an argument', 'Put a space before it.');
    for (const item of value as readonly (string | number)[]) {
      this.#open = this.#checked(item, position);
      this.#close();
    }
  }

  finish(): string[] {
    this.#close();
    return this.#done;
  }

  #close(): void {
    if (this.#open === undefined) return;
    if (this.#open === '--') this.#hasSeparator = true;
    this.#done.push(this.#open);
    this.#open = undefined;
  }

  #checked(value: string | number, position: number): string {
    const isNumber = typeof value === 'number' && Number.isFinite(value);
    if (typeof value !== 'string' && !isNumber) throw unsafe(position, 'is no text or number', 'Pass one of the two.');
    const text = String(value);
    this.#chars += text.length;
    if (text.includes('\0')) throw unsafe(position, 'has a NUL character', 'Remove it.');
    if (text.length > maxValueChars || this.#chars > maxTotalChars)
      throw unsafe(position, 'is too long for an argument', 'Pass it by the standard input or a file.');
    // An argument may begin with an empty value.
    if (text.startsWith('-') && (this.#open ?? '') === '' && !this.#hasSeparator)
      throw unsafe(position, 'begins with -, so the program would read it as an option', dashHint);
    return text;
  }
}

const dashHint = 'Write -- before it in the template, or write it as the value of an option, as in --name=${value}.';

/** The value is not shown: it is untrusted, and may be a secret. */
const unsafe = (position: number, problem: string, hint: string): TenonError =>
  new TenonError('unsafe-argument', `commandArguments(): value ${position} ${problem}.`, {
    hint,
    details: { position },
  });
