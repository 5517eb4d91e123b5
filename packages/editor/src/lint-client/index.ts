export {
  createLintClient,
  lintQuickFixes,
  type LintClient,
  type LintClientOptions,
  type LintQuickFixesOptions,
} from './lint-client.ts';
export type { LintDiagnostic } from '../lint/messages.ts';
export { isSupportedByBrowser } from './browser-support.ts';
