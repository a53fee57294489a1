/** The tokens as a canvas knows them: the chart library reads no `oklch()` and no `light-dark()`. */

const names = [
  'background',
  'text-soft',
  'hairline',
  'line',
  'neutral-5',
  'neutral-10',
  'accent',
  'profit',
  'loss',
  'loss-soft',
  'profit-soft',
] as const

export type Colours = Record<(typeof names)[number], string>

/** Reads the colours as they are now inside this element. */
export function readColours(element: HTMLElement): Colours {
  const probe = document.createElement('i')
  const canvas = document.createElement('canvas')
  canvas.width = 1
  canvas.height = 1
  const context = canvas.getContext('2d', { willReadFrequently: true })!
  element.append(probe)
  const colours = Object.fromEntries(
    names.map((name) => {
      probe.style.color = `var(--${name})`
      context.clearRect(0, 0, 1, 1)
      context.fillStyle = getComputedStyle(probe).color
      context.fillRect(0, 0, 1, 1)
      const [red, green, blue, alpha] = context.getImageData(0, 0, 1, 1).data
      return [name, `rgba(${red}, ${green}, ${blue}, ${alpha! / 255})`]
    }),
  ) as Colours
  probe.remove()
  return colours
}

/** Calls `listener` when light, dark or the colours of profit and loss change. Returns the function that ends this. */
export function onColours(listener: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)')
  const observer = new MutationObserver(listener)
  observer.observe(document.documentElement, { attributeFilter: ['data-theme', 'data-profit-colours'] })
  system.addEventListener('change', listener)
  return () => {
    observer.disconnect()
    system.removeEventListener('change', listener)
  }
}
