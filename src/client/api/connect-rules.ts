/** Rules of options of connect whose kind does not follow from their type. */
import { isFunction, isTexts, type Rule } from '../../lib/options/option-rules.ts';
import { isRecord } from '../../lib/values/is.ts';
import { isImplementation } from '../../protocol/generated/record-checks.ts';
import { extensionsProblem } from '../../protocol/meta-keys.ts';
import { requirableCapabilities } from './options.ts';

const logLevels: readonly string[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

export const logLevel: Rule = {
  holds: (value) => typeof value === 'string' && logLevels.includes(value),
  must: `be one of ${logLevels.join(', ')}`,
};

export const clientInfo: Rule = {
  holds: isImplementation,
  must: "be an object such as { name: 'my-client', version: '1.0.0' }",
};

export const acceptedVersions: Rule = { holds: isTexts, must: 'be a list of protocol versions' };

export const authorizationText: Rule = {
  holds: (value) => (typeof value === 'string' && value !== '') || isFunction(value),
  must: "be a text such as 'Bearer token123', or a function that returns one",
};

const isExtension = (value: unknown): boolean =>
  isRecord(value) && (value.type === 'extension' || value.type === 'used-extension');

export const clientExtensions: Rule = {
  holds: (value) => (Array.isArray(value) ? value.every(isExtension) : extensionsProblem(value) === undefined),
  must: "be a list of extensions, or an object such as { 'com.example/name': {} } with a prefix before each name",
};

const isCapability = (value: unknown): boolean =>
  typeof value === 'string' &&
  (/^experimental\../.test(value) || (requirableCapabilities as readonly string[]).includes(value));

export const requiredCapabilities: Rule = {
  holds: (value) => Array.isArray(value) && value.every(isCapability),
  must: `be a list of ${requirableCapabilities.join(', ')} or experimental.…`,
};

export const expectedContract: Rule = {
  holds: (value) => isRecord(value) && value.type === 'contract',
  must: 'be the contract of a module that tenon types has written, or the result of createContract()',
};

export const experimentalCapabilities: Rule = {
  holds: (value) => isRecord(value) && Object.values(value).every(isRecord),
  must: 'be an object of objects such as { name: {} }',
};

export const sharedCache: Rule = {
  holds: (value) => isRecord(value) && value.type === 'shared-cache',
  must: 'be the result of createSharedCache()',
};

export const taskMemory: Rule = {
  holds: (value) => isRecord(value) && [value.read, value.add, value.delete].every(isFunction),
  must: "be the result of taskFile('./tasks.json'), or an object with read, add and delete",
};
