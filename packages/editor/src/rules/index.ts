export { createLintClient, type LintClient, type LintClientOptions } from './lint-client.ts';
export { ruleFixes, type RuleFixesOptions } from './rule-fixes.ts';
export type { RuleProblem } from '../lint/messages.ts';
export { isSupportedStyle } from './supported-styles.ts';
