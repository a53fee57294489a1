import { keep, kept } from '../base/kept.ts'

/** How the user wants the pages to look. A browser keeps it. */
export type Look = {
  theme: 'system' | 'light' | 'dark'
  /** `blue-orange` is for people who cannot tell teal from red. */
  profitColours: 'teal-red' | 'blue-orange'
}

export function readLook(): Look {
  const theme = kept('theme')
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    profitColours: kept('profit-colours') === 'blue-orange' ? 'blue-orange' : 'teal-red',
  }
}

export function changeLook(look: Look): void {
  keep('theme', look.theme)
  keep('profit-colours', look.profitColours)
  applyLook(document.documentElement)
}

/** Gives the document the look that the user has chosen. */
export function applyLook(root: HTMLElement): void {
  const { theme, profitColours } = readLook()
  root.dataset.theme = theme
  root.dataset.profitColours = profitColours
}
