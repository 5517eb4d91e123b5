export { openBackend } from './backend.ts';
export type { Backend, BackendOptions } from './backend.ts';
export { describeReason } from './log.ts';
export type { Fields, Log } from './log.ts';
export { listOutbox, readOutbox } from './mail/outbox.ts';
export type { OutboxMail } from './mail/outbox.ts';
export { MigrationError } from './postgres/migrations.ts';
export { deriveKey, loadSecrets, SecretsError } from './secrets.ts';
export type { Secrets } from './secrets.ts';
