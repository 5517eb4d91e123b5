/** Downloads a file in the browser under this name. */
export function downloadFile(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // Once started, the download no longer needs the URL.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** "Boids: a flock?" → "Boids a flock", a file name for any file system. */
export function toFileName(title: string, fallback: string): string {
  return title.replace(/[^\p{L}\p{N} _-]+/gu, '').trim() || fallback;
}
