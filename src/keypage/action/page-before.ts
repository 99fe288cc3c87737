import type { ElementHandle } from '@playwright/test';
import { controlsOf } from '../controls/controls.js';
import type { Piece } from '../reading/read-page.js';
import { saidAside } from '../window/page-reader.js';
import type { Visit } from '../window/visit.js';

/** What a page showed before the action was pressed. */
export interface PageBefore {
  readonly url: string;
  /** Names of the visible controls. */
  readonly controls: readonly string[];
  readonly pieces: readonly Piece[];
  readonly texts: ReadonlySet<string>;
  /** Texts of windows beside their pages. */
  readonly aside: ReadonlySet<string>;
  readonly notices: readonly string[];
  /** Number of dialogs so far. */
  readonly dialogs: number;
  readonly inDialogs: readonly string[];
  readonly document: Visit['document'];
  readonly had: (field: ElementHandle) => Promise<boolean>;
  /** Whether a field was there and visible. */
  readonly showed: (field: ElementHandle) => Promise<boolean>;
  /** Names of the fields that its forms send. */
  readonly fieldNames: readonly string[];
}

/** A page's address, without the empty fragment that a link to nothing adds. */
export const addressOf = ({ page }: Visit): string => page.url().replace(/#$/, '');

/** Reads the page that the action is pressed on. */
export const pageBefore = async (visit: Visit): Promise<PageBefore> => {
  const [dialogs, notices] = [visit.dialogs.length, [...visit.notices]];
  const aside = new Set(await saidAside(visit));
  const pieces = await visit.read();
  const visible = (await controlsOf(visit)).filter((control) => control.visible);
  const fields = await visit.page.evaluateHandle(() => {
    const isShown = (field: Element): boolean => field.checkVisibility() && field.getClientRects().length > 0;
    return new Map<Node, boolean>([...document.querySelectorAll('input, textarea')].map((one) => [one, isShown(one)]));
  });
  return {
    url: addressOf(visit),
    document: visit.document,
    pieces,
    aside,
    notices,
    dialogs,
    texts: new Set(pieces.flatMap(({ text, visible }) => (visible ? [text.replace(/\s+/g, ' ')] : []))),
    controls: visible.map(({ name }) => name),
    inDialogs: visible.filter(({ inDialog }) => inDialog).map(({ name }) => name),
    fieldNames: await visit.page.evaluate(() =>
      [...document.forms].flatMap(({ elements }) => [...elements].map((field) => field.getAttribute('name') ?? '')),
    ),
    // The handle is gone with its document.
    had: (field) => fields.evaluate((known, one) => known.has(one), field).catch(() => false),
    showed: (field) => fields.evaluate((known, one) => known.get(one) === true, field).catch(() => false),
  };
};
