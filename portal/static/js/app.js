import "./confirm.js";
import "./copy.js";
import "./menus.js";
import "./notices.js";
import "./password.js";
import "./tabs.js";
import "./theme.js";
import "./zone.js";
