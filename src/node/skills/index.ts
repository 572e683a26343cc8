/** Skills on Node: everything that runs anywhere, and reading skills from a folder. */

export {
  type CursorParams,
  type DirectoryPage,
  type Frontmatter,
  type SkillEntry,
  type SkillFile,
  type SkillPage,
  skillLimits,
  skillsExtension,
  type UriParams,
} from '../../extensions/skills/contract.ts';
export {
  createHostSkills,
  type HostSkill,
  type HostSkillList,
  type HostSkills,
  type SkillsHost,
} from '../../extensions/skills/host-skills.ts';
export { type SkillsOptions, serveSkills } from '../../extensions/skills/serving.ts';
export type { SkillContent, SkillFiles } from '../../extensions/skills/skill-index.ts';
export {
  createSkillsClient,
  type LoadedFile,
  type LoadedSkill,
  type SkillsClient,
  type SkillsClientOptions,
  type SkillsConnection,
} from '../../extensions/skills/using.ts';
export { approvalKey, type VerificationFailure } from '../../extensions/skills/verification.ts';
export type { ServerExtension } from '../../server/definition/extension.ts';
export { readSkillsFolder } from './read-folder.ts';
