import { Parser } from 'htmlparser2'
import { Turns } from '../base/turns.ts'

/** The parser looks through all open elements for each one that ends. So it gets little at a time, and forgets old ones. */
const partLength = 4 * 1024
const mostOpen = 256

/** Nobody reads these. */
const unread = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'svg',
  'iframe',
  'object',
  'select',
  'head',
])
/** Elements that begin a line of their own. */
const blocks = new Set([
  ...['address', 'article', 'aside', 'blockquote', 'br', 'dd', 'div', 'dl', 'dt', 'fieldset', 'figcaption'],
  ...['figure', 'footer', 'form', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'hr', 'li', 'main', 'nav'],
  ...['ol', 'p', 'pre', 'section', 'table', 'title', 'tr', 'ul'],
])
const cells = new Set(['td', 'th'])
const isHidden = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i

/**
 * The text that a person would read on a page, a line for each block, with its title first. Text that is no HTML stays as
 * it is. Rests in between, so that a page of a megabyte holds up nobody.
 * @param limit the most characters: what comes after them is not looked at
 */
export async function pageText(text: string, limit: number): Promise<string> {
  if (!looksLikeHtml(text)) return text
  const turns = new Turns()
  const page = new Page()
  // Spaces that are left out below make it shorter.
  const enough = limit + partLength
  for (let at = 0; at < text.length && page.length < enough; at += partLength) {
    if (turns.isOver) await turns.rest()
    page.read(text.slice(at, at + partLength))
  }
  return page.end()
}

/** An answer need not name its type, and many name the wrong one. */
function looksLikeHtml(text: string): boolean {
  return /^\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--[^>]{0,500}-->\s*)?<(?:!doctype\s+html|html|head|body)\b/i.test(
    text.slice(0, 2_000),
  )
}

class Page {
  #text = ''
  #parser = this.#newParser()
  /** The names of the open elements from the first one that nobody reads. */
  #unread: string[] = []
  #open = 0

  get length(): number {
    return this.#text.length
  }

  read(part: string): void {
    if (this.#open > mostOpen) {
      this.#parser = this.#newParser()
      this.#open = 0
      this.#unread = []
    }
    this.#parser.write(part)
  }

  end(): string {
    this.#parser.end()
    return this.#text
      .replaceAll(/[^\S\n]+/g, ' ')
      .replaceAll(/ ?\n[ \n]*/g, '\n')
      .trim()
  }

  #newParser(): Parser {
    return new Parser({
      onopentag: (name, attributes) => {
        this.#open += 1
        if (this.#unread.length > 0 || isUnread(name, attributes)) this.#unread.push(name)
        else this.#separate(name)
      },
      onclosetag: (name) => {
        this.#open -= 1
        const isReadAgain = this.#unread.length > 0
        this.#unread.pop()
        if (!isReadAgain) this.#separate(name)
      },
      ontext: (text) => {
        if (this.#unread.length === 0 || this.#isTitle()) this.#text += text.replaceAll(/\s+/g, ' ')
      },
    })
  }

  #isTitle(): boolean {
    return this.#unread.length === 2 && this.#unread[0] === 'head' && this.#unread[1] === 'title'
  }

  #separate(name: string): void {
    if (!blocks.has(name) && !cells.has(name)) return
    const mark = blocks.has(name) ? '\n' : ' '
    if (!this.#text.endsWith(mark)) this.#text += mark
  }
}

function isUnread(name: string, attributes: Record<string, string>): boolean {
  return unread.has(name) || 'hidden' in attributes || isHidden.test(attributes.style ?? '')
}
