/** Contracts: the features of a server as one value, and the effects of a change on callers. */

export { checkCalls, type JudgedCall } from './check-calls.ts';
export type { ContractChange, ContractComparison, Effect } from './compare/change.ts';
export { compareSnapshots } from './compare/compare.ts';
export { type ContractDefinition, type ContractPrompt, type ContractTool, createContract } from './contract.ts';
export { readSnapshot, type ServerSnapshot, type SnapshotOptions, takeSnapshot } from './snapshot.ts';
export { generateTypes } from './types-module.ts';
