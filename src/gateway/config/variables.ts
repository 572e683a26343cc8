/** Replaces `${NAME}` in the texts of a file, for the variables that the file allows. */
import { type Environment, expand, type Variables } from '../../host/servers/variables.ts';
import { messageWithoutHint, TenonError } from '../../lib/errors/tenon-error.ts';
import { isTexts } from '../../lib/options/option-rules.ts';
import { type Fields, isRecord } from '../../lib/values/is.ts';
import type { ConfigDocument } from './config-document.ts';

/** The content of the file with its variables replaced. Names of members are as they are. */
export function withVariables(document: ConfigDocument, env: Environment): Fields {
  const { allowedVariables, ...content } = document.value;
  const allowed = isTexts(allowedVariables) ? (allowedVariables as readonly string[]) : [];
  const variables: Variables = { env, isAllowed: ({ variable }) => allowed.includes(variable) };
  const replaced = (value: unknown, place: string): unknown => {
    if (typeof value === 'string') return expanded(document, value, place, variables);
    if (Array.isArray(value)) return value.map((one, at) => replaced(one, `${place}[${at}]`));
    if (!isRecord(value)) return value;
    const members = Object.create(null) as Fields;
    for (const [name, one] of Object.entries(value))
      members[name] = replaced(one, place === '' ? name : `${place}.${name}`);
    return members;
  };
  const own = replaced(content, '') as Fields;
  return allowedVariables === undefined ? own : { ...own, allowedVariables };
}

function expanded(document: ConfigDocument, text: string, place: string, variables: Variables): string {
  try {
    return expand(text, { place, server: '', field: 'env' }, variables);
  } catch (error) {
    if (!(error instanceof TenonError)) throw error;
    const { variable } = error.details;
    if (variable === undefined) document.report({ place, text: messageWithoutHint(error), hint: error.hint ?? '' });
    else {
      const hint = `Add it: allowedVariables: [${variable}].`;
      document.report({
        place,
        text: `${place} has the variable ${variable}, which is not in allowedVariables.`,
        hint,
      });
    }
    return text;
  }
}
