export { runForClient } from './client-address.ts';
export type { PackageServerOptions } from './context.ts';
export type { PackageLog } from './log.ts';
export { prefetchPackages } from './prefetch.ts';
export { readRegistrySettings, type RegistrySettings } from './registry/registry-settings.ts';
export { packageRequestMaxBytes } from './services.ts';
export { createPackageServer, type PackageServer, type RegisteredPackages } from './server.ts';
export { exportStore, importStore } from './store/store-archive.ts';
