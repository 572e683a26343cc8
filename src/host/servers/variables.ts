/** Expands environment variables in a configuration: `${NAME}`, `${env:NAME}`, `${NAME:-default}`. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { shown } from '../../lib/text/shown.ts';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable in the configuration of a server: its value would be sent to this server, or be used to start it. */
export interface VariableUse {
  /** The name of the variable. */
  readonly variable: string;
  /** The name of the server. */
  readonly server: string;
  /** The field of the server's entry that has the variable. */
  readonly field: 'command' | 'args' | 'env' | 'cwd' | 'url' | 'headers' | 'auth';
}

/** Which variables a configuration may use: a list of names, a function that decides about each use, or all. */
export type AllowedVariables = readonly string[] | ((use: VariableUse) => boolean) | 'allow-all';

export interface Variables {
  readonly env: Environment;
  readonly isAllowed: (use: VariableUse) => boolean;
}

/** Nothing may be used. */
export const noVariables: Variables = { env: {}, isAllowed: () => false };

/** Variables that the program passed may all be used; of the environment of the process, only those that are allowed. */
export function readVariables(
  options: { readonly env?: Environment; readonly allowedVariables?: AllowedVariables },
  processEnv: Environment,
): Variables {
  const allowed = options.allowedVariables ?? (options.env === undefined ? [] : 'allow-all');
  const isAllowed = (use: VariableUse): boolean => {
    if (typeof allowed === 'function') return allowed(use) === true;
    return allowed === 'allow-all' || allowed.includes(use.variable);
  };
  return { env: options.env ?? processEnv, isAllowed };
}

const variablePattern = /\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}/g;
/** Syntax of other hosts, which prompt for a value or compute it. */
const foreign = /\$\{(?!env:)[A-Za-z]+:[^-=+?}][^}]*\}/;

/** A text of a configuration: its place, and what it belongs to. */
export interface TextPlace extends Omit<VariableUse, 'variable'> {
  readonly place: string;
}

/** The text with its variables expanded. An error names the variable, never a value. */
export function expand(text: string, where: TextPlace, variables: Variables): string {
  // Without its last part, every `${` has an end: the time of the search stays linear.
  const end = text.lastIndexOf('}') + 1;
  return `${expandClosed(text.slice(0, end), where, variables)}${text.slice(end)}`;
}

function expandClosed(text: string, { place, server, field }: TextPlace, { env, isAllowed }: Variables): string {
  const other = foreign.exec(text)?.[0];
  if (other !== undefined)
    throw wrong(
      `${place} has ${shown(other)}, which is not supported.`,
      'Use a variable: ${NAME}, or ${NAME:-default}.',
    );
  return text.replace(variablePattern, (_, variable: string, otherwise: string | undefined) => {
    if (!isAllowed({ variable, server, field })) throw notAllowed(place, variable);
    const value = Object.hasOwn(env, variable) ? env[variable] : undefined;
    // As in a shell, the default replaces an empty value.
    const found = otherwise !== undefined && value === '' ? otherwise : (value ?? otherwise);
    if (found !== undefined) return found;
    throw wrong(
      `${place} needs the variable ${variable}, which is not set.`,
      `Set ${variable} in the environment, or write \${${variable}:-default}.`,
    );
  });
}

const notAllowed = (place: string, variable: string): TenonError =>
  new TenonError('invalid-argument', `${place} has the variable ${variable}, which this host does not allow.`, {
    hint: `Add '${variable}' to the option "allowedVariables" of createHost if this server may get its value.`,
    details: { place, variable },
  });

const wrong = (message: string, hint: string): TenonError => new TenonError('invalid-argument', message, { hint });
