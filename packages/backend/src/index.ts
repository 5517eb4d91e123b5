export { endAllSessions } from './auth/sessions.ts';
export { defaultAuthSettings, readAuthSettings } from './auth/settings.ts';
export type { AuthSettings } from './auth/settings.ts';
export { openBackend } from './backend.ts';
export type { Backend, BackendOptions } from './backend.ts';
export { bodyLimits } from './body-limit.ts';
export {
  createDenoConfigArguments,
  createDenoEnvironment,
  denoVersion,
  findDeno,
  getDenoDir,
} from './functions/deno.ts';
export { timingSafeEqualText } from './auth/secret-text.ts';
export { describeErrorForLog } from './log.ts';
export type { LogFields, Log } from './log.ts';
export { listOutboxMails, readOutboxMail } from './mail/outbox.ts';
export type { OutboxMail } from './mail/outbox.ts';
export { MigrationError } from './postgres/migrations.ts';
export { rejectUpgrade } from './realtime/upgrade.ts';
export type { UpgradeRequest } from './realtime/upgrade.ts';
export {
  createSecrets,
  deriveKey,
  loadSecrets,
  restoreMarkerName,
  rotateSigningKey,
  SecretsError,
} from './secrets.ts';
export type { Secrets } from './secrets.ts';
export { StartupError } from './startup-error.ts';
