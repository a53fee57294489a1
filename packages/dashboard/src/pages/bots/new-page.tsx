import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router'
import { Page } from '../../parts/Page.tsx'
import { NewBotForm } from './BotForm.tsx'
import type { NewBotSearch } from './search.ts'
import styles from './settings.module.css'

export const Route = createLazyRoute('/signed-in/bots/new')({ component: NewBot })

/** A new bot, on paper unless its owner chooses otherwise. */
function NewBot() {
  const { webhook, folder } = Route.useSearch() as NewBotSearch
  const navigate = useNavigate()
  return (
    <Page title="New bot" parent={<Link to="/bots">Bots</Link>}>
      <div className={styles.settings}>
        <NewBotForm
          webhookId={webhook}
          folderId={folder}
          onMade={({ id }) => void navigate({ to: '/bots/$id', params: { id: String(id) }, replace: true })}
        />
      </div>
    </Page>
  )
}
