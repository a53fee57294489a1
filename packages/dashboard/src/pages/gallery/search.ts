const themes = ['light', 'dark'] as const

export type GallerySearch = {
  /** Only this component. */
  part?: string
  /** Without it, each component is shown in both. */
  theme?: (typeof themes)[number]
  /** The dialog that is open. */
  dialog?: string
}

/** Reads what the address of the gallery asks for. */
export function readGallerySearch({ part, theme, dialog }: Record<string, unknown>): GallerySearch {
  return {
    ...(typeof part === 'string' ? { part } : {}),
    ...(theme === 'light' || theme === 'dark' ? { theme } : {}),
    ...(typeof dialog === 'string' ? { dialog } : {}),
  }
}
