export { isBuildTool } from './build-tools.ts';
export {
  findPackageUrl,
  isPackageName,
  parseLockfile,
  parsePackageName,
  type LockedPackage,
  type Lockfile,
} from './lockfile.ts';
export { computePackageUrls, type PackageMode } from './resolution-hash.ts';
