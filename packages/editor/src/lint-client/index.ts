export { createLintClient, type LintClient, type LintClientOptions } from './lint-client.ts';
export { lintQuickFixes, type LintQuickFixesOptions } from './lint-quick-fixes.ts';
export type { LintDiagnostic } from '../lint/messages.ts';
export { isSupportedByBrowser } from './browser-support.ts';
