/** The report of `tenon check` as SARIF 2.1.0, for what shows findings beside code. */
import type { ToolQualityReport } from '../../../agents/quality/check-tools.ts';
import { type QualityRule, qualityRules, type ToolFinding } from '../../../agents/quality/finding.ts';
import { version } from '../../../protocol/generated/version.ts';

const schema = 'https://json.schemastore.org/sarif-2.1.0.json';

/** `file` is that of the server, if it is known. */
export function sarifReport({ findings }: ToolQualityReport, file: string | undefined): string {
  const used = [...new Set(findings.map(({ rule }) => rule))];
  const driver = { name: 'tenon check', version, rules: used.map(ruleOf) };
  const runs = [{ tool: { driver }, results: findings.map((one) => resultOf(one, used, file)) }];
  return JSON.stringify({ $schema: schema, version: '2.1.0', runs }, null, 2);
}

const ruleOf = (id: QualityRule): object => ({
  id,
  shortDescription: { text: qualityRules[id].about },
  defaultConfiguration: { level: qualityRules[id].level },
});

function resultOf(
  { rule, level, tool, text, fix }: ToolFinding,
  used: readonly QualityRule[],
  file: string | undefined,
): object {
  const places = {
    ...(file !== undefined && {
      physicalLocation: { artifactLocation: { uri: uriOf(file) }, region: { startLine: 1 } },
    }),
    ...(tool !== undefined && { logicalLocations: [{ name: tool, kind: 'function' }] }),
  };
  return {
    ruleId: rule,
    ruleIndex: used.indexOf(rule),
    level,
    message: { text: `${tool === undefined ? '' : `${tool}: `}${text} ${fix}` },
    ...(Object.keys(places).length > 0 && { locations: [places] }),
    // The same finding of a later run, whatever numbers its text has.
    partialFingerprints: { 'tenonCheck/v1': `${rule}:${tool ?? ''}` },
  };
}

/** A relative reference, as SARIF has it: `src/my%20server.ts`. */
const uriOf = (file: string): string =>
  file.replaceAll('\\', '/').replace(/^\.\//, '').split('/').map(encodeURIComponent).join('/');
