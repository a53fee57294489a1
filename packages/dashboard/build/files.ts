/** A file as the service sends it. The compressed forms are absent where they would be hardly smaller. */
export type BuiltFile = { type: string; plain: Buffer; gzip?: Buffer; br?: Buffer }

/**
 * The files by their paths. The documents are at the paths of `pagePaths`, and that of `/` also serves all pages below
 * these; all other files have their hash in their name.
 */
export type Build = ReadonlyMap<string, BuiltFile>
