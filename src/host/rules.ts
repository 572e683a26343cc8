/** Rules of options of createHost whose kind does not follow from their type. */
import { has, isFunction, isTexts, type Rule, type Rules } from '../lib/options/option-rules.ts';
import { isRecord } from '../lib/values/is.ts';
import { consent } from './requests/consent.table.ts';
import { elicitationLimits, samplingLimits } from './requests/request-options.table.ts';

const isName = (value: unknown): boolean => typeof value === 'string' && value !== '';

const objectOrFunction = (fields?: Rules): Rule => ({
  holds: (value) => isRecord(value) || isFunction(value),
  must: 'be an object, or a function that gets the name of a server and returns one',
  ...(fields && { fields }),
});

export const hostServers: Rule = { holds: isRecord, must: 'be { mcpServers: { … } }, or the inner object alone' };

export const hostInfo: Rule = { holds: isRecord, must: "be an object such as { name: 'my-host', version: '1.0.0' }" };

export const hostVariables: Rule = { holds: isRecord, must: 'be an object of variables' };

export const allowedVariables: Rule = {
  holds: (value) => value === 'allow-all' || isTexts(value) || isFunction(value),
  must: "be a list of names such as ['HOME'], a function that returns whether a use is allowed, or 'allow-all'",
};

export const hostPolicy: Rule = {
  holds: (value) => value instanceof Promise || ['decide', 'evaluate', 'explain'].every((name) => has(value, name)),
  must: 'be a policy, such as createPolicy(text) of tenon/guard returns',
};

export const hostLock: Rule = {
  holds: (value) => value instanceof Promise || ['compare', 'approve', 'servers'].every((name) => has(value, name)),
  must: 'be a lock, such as lockFile(path) of tenon/guard returns',
};

export const hostApprovals: Rule = {
  holds: (value) => has(value, 'approve'),
  must: 'be the result of createApprovals() of tenon/guard',
};

export const consentStore: Rule = {
  holds: (value) => has(value, 'read') && has(value, 'write'),
  must: 'be a store of answers, such as consentsFolder() returns',
};

export const listStore: Rule = {
  holds: (value) => has(value, 'read') && has(value, 'write'),
  must: 'be a store of lists, such as listsFolder() returns',
};

export const hostPrincipal: Rule = {
  holds: (value) => isName(value) || (isRecord(value) && isName(value.issuer) && isName(value.subject)),
  must: 'be a name, or an object with issuer and subject',
};

export const hostAudit: Rule = {
  holds: (value) => has(value, 'begin') && has(value, 'append'),
  must: 'be an audit log, such as auditFolder(folder) of tenon/guard returns',
};

export const consentHooks: Rule = {
  holds: (value) => value === 'allow-all' || isRecord(value),
  must: "be an object such as { tool: (request) => 'allow' }, or 'allow-all'",
  fields: consent,
};

export const samplingBounds: Rule = objectOrFunction(samplingLimits);

export const elicitationBounds: Rule = objectOrFunction(elicitationLimits);

/** Their own check follows: the host sets some of them itself. */
export const clientOptions: Rule = objectOrFunction();
