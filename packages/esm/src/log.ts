/** Where the package server says what happened. Fields never hold tokens or what people wrote. */
export interface PackageLog {
  info(message: string, fields?: Readonly<Record<string, string | number | boolean>>): void;
  warn(message: string, fields?: Readonly<Record<string, string | number | boolean>>): void;
  error(message: string, fields?: Readonly<Record<string, string | number | boolean>>): void;
}
