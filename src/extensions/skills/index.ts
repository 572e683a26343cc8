/** Skills (SEP-2640) for servers and hosts: an entry point of its own, loaded only where it is used. */
export {
  type DirectoryPage,
  type Frontmatter,
  type SkillEntry,
  type SkillFile,
  type SkillPage,
  skillLimits,
  skillsExtension,
} from './contract.ts';
export { type SkillsOptions, skills } from './serving.ts';
export type { SkillContent, SkillFiles } from './skill-index.ts';
export {
  type LoadedFile,
  type LoadedSkill,
  type SkillsClient,
  type SkillsOf,
  type SkillsOfOptions,
  skillsOf,
} from './using.ts';
export { approvalKey, type Disagreement } from './verification.ts';
