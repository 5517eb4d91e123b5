/** Whether a file holds tests: "src/sum.test.ts" and "sum.spec.jsx" do. */
export function isTestPath(path: string): boolean {
  return /\.(?:test|spec)\.(?:m?[jt]s|[jt]sx)$/.test(path);
}
