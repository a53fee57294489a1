/** The name of a copy: at most 255 characters, the limit of names. */
export function copyName(name: string): string {
  const suffix = ' (copy)'
  return [...name].slice(0, 255 - suffix.length).join('') + suffix
}
