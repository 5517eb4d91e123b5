export { readRegistrySettings, type RegistrySettings } from './registry-settings.ts';
export { createPackageServer, type PackageServer, type PackageServerOptions } from './server.ts';
export type { PackageLog } from './log.ts';
