import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router'
import { Page } from '../../parts/Page.tsx'
import { controls } from './controls.tsx'
import { dialogs } from './dialogs.tsx'
import styles from './gallery.module.css'
import { lists } from './lists.tsx'
import { notices } from './notices.tsx'
import { protection } from './protection.tsx'
import type { Exhibit } from './sample.tsx'
import type { GallerySearch } from './search.ts'
import { values } from './values.tsx'

export const Route = createLazyRoute('/gallery')({ component: Gallery })

const exhibits: readonly Exhibit[] = [...controls, ...values, ...lists, ...notices, ...protection]

/** Every component of `parts` in each of its states. Its figures and times never change. */
function Gallery() {
  const search = Route.useSearch() as GallerySearch
  const navigate = useNavigate()
  const shown = exhibits.filter(({ name }) => search.part === undefined || name === search.part)
  const themes = search.theme === undefined ? (['light', 'dark'] as const) : [search.theme]
  const OpenDialog = search.dialog === undefined ? undefined : dialogs[search.dialog]
  const { dialog: _, ...withoutDialog } = search
  return (
    <Page title="Gallery">
      <nav className={styles.nav} aria-label="Components">
        <Link to="/gallery">All</Link>
        {exhibits.map(({ name }) => (
          <Link key={name} to="/gallery" search={{ ...withoutDialog, part: name }}>
            {name}
          </Link>
        ))}
        {Object.keys(dialogs).map((name) => (
          <Link key={name} to="/gallery" search={{ ...search, dialog: name }}>
            Dialog: {name}
          </Link>
        ))}
      </nav>
      {shown.map((exhibit) => (
        <section key={exhibit.name} className={styles.exhibit} aria-label={exhibit.name}>
          <h2>{exhibit.name}</h2>
          <div className={styles.themes}>
            {themes.map((theme) => (
              <div key={theme} className={styles.theme} data-scheme={theme} data-exhibit={exhibit.name}>
                {exhibit.samples.map(({ name, content }) => (
                  <figure key={name} className={styles.sample}>
                    <figcaption>{name}</figcaption>
                    {content}
                  </figure>
                ))}
              </div>
            ))}
          </div>
        </section>
      ))}
      {OpenDialog && (
        <OpenDialog onClose={() => void navigate({ to: '/gallery', search: withoutDialog, replace: true })} />
      )}
    </Page>
  )
}
