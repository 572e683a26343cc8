/** The server requests that a client supports: its revision has the request, and it declared the capability. */
import type { ClientCapabilities } from '../../protocol/generated/types/records.ts';
import { isRecord } from '../../protocol/model/primitives.ts';
import type { Askable } from '../definition/context.ts';
import type { Caller } from '../ports/caller.ts';

const methods: Readonly<Record<Askable, string>> = {
  elicit: 'elicitation/create',
  'elicit.form': 'elicitation/create',
  'elicit.url': 'elicitation/create',
  sample: 'sampling/createMessage',
  'sample.tools': 'sampling/createMessage',
  roots: 'roots/list',
};

export function clientSupports({ revision, capabilities }: Caller, what: Askable): boolean {
  return revision.questions.has(methods[what]) && declares(capabilities, what);
}

/** Whether the client supports any server request: only then a call may run more than once. */
export const mayBeAsked = ({ capabilities: { elicitation, sampling, roots } }: Caller): boolean =>
  isRecord(elicitation) || isRecord(sampling) || isRecord(roots);

/** What is declared as `false` is not declared. An elicitation capability that names no mode means forms. */
function declares({ elicitation, sampling, roots }: ClientCapabilities, what: Askable): boolean {
  switch (what) {
    case 'roots':
      return isRecord(roots);
    case 'sample':
      return isRecord(sampling);
    case 'sample.tools':
      return isRecord(sampling) && isRecord(sampling.tools);
    case 'elicit.url':
      return isRecord(elicitation) && isRecord(elicitation.url);
    case 'elicit.form':
      return isRecord(elicitation) && (isRecord(elicitation.form) || !isRecord(elicitation.url));
    case 'elicit':
      return isRecord(elicitation);
  }
}

/** The capabilities that a client would have to declare, as the error for it names them. */
export function neededCapabilities(what: Askable): ClientCapabilities {
  switch (what) {
    case 'roots':
      return { roots: {} };
    case 'sample':
      return { sampling: {} };
    case 'sample.tools':
      return { sampling: { tools: {} } };
    case 'elicit.url':
      return { elicitation: { url: {} } };
    default:
      return { elicitation: { form: {} } };
  }
}
