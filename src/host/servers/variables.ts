/** Expands environment variables in a configuration: `${NAME}`, `${env:NAME}`, `${NAME:-default}`. */
import { TenonError } from '../../jsonrpc/errors.ts';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

const variable = /\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}/g;
/** Syntax of other hosts, which prompt for a value or compute it. */
const foreign = /\$\{(?!env:)[A-Za-z]+:[^-=+?}][^}]*\}/;

/** The text with its variables expanded. An error names the missing variable, never a value. */
export function expand(text: string, place: string, env: Environment): string {
  const other = foreign.exec(text)?.[0];
  if (other !== undefined)
    throw wrong(`${place} has ${other}, which is not supported.`, 'Use a variable: ${NAME}, or ${NAME:-default}.');
  return text.replace(variable, (_, name: string, otherwise: string | undefined) => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    // As in a shell, the default replaces an empty value.
    const found = otherwise !== undefined && value === '' ? otherwise : (value ?? otherwise);
    if (found !== undefined) return found;
    throw wrong(
      `${place} needs the variable ${name}, which is not set.`,
      `Set ${name} in the environment, or write \${${name}:-default}.`,
    );
  });
}

const wrong = (message: string, hint: string): TenonError => new TenonError('invalid-argument', message, { hint });
